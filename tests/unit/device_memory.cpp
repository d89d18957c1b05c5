// device_ptr and device_span: arithmetic, bounds, and what they remember.

#include <cstdint>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include <allograph/model/device_span.hpp>

namespace ag = allograph;

namespace {

constexpr ag::allocation_ref somewhere{7, 3};

template <class T>
constexpr ag::device_ptr<T> memory(std::uint64_t address, std::size_t count) {
    return ag::detail::handle_access::make<ag::device_ptr<T>>(address, count, somewhere);
}

template <class F>
bool out_of_bounds(F&& action) {
    try {
        action();
    } catch (const ag::misuse& mistake) {
        return mistake.rule() == std::string("O5");
    }
    return false;
}

}  // namespace

TEST_CASE("device pointers count in elements and stay in their allocation", "[O5]") {
    constexpr auto p = memory<float>(0x1000, 10);
    STATIC_REQUIRE((p + 3).address() == 0x100C);
    STATIC_REQUIRE((p + 3 - 2).address() == 0x1004);
    STATIC_REQUIRE((p + 7) - p == 7);
    STATIC_REQUIRE(p - (p + 7) == -7);
    STATIC_REQUIRE((p + 10).address() == 0x1028);  // one past the end, as with any pointer
    STATIC_REQUIRE((p + 4).known_elements() == 6);
    STATIC_REQUIRE((p + 4).allocation() == somewhere);
    STATIC_REQUIRE(p + 4 == p + 5 - 1);
    STATIC_REQUIRE_FALSE(p + 4 == p);
    CHECK(out_of_bounds([&] { (void)(p + 11); }));
    CHECK(out_of_bounds([&] { (void)(p - 1); }));
    CHECK(out_of_bounds([&] { (void)(p + 5 - 6); }));
    CHECK(out_of_bounds([&] { (void)(p + std::numeric_limits<std::ptrdiff_t>::max()); }));
    CHECK(out_of_bounds([&] { (void)(p + std::numeric_limits<std::ptrdiff_t>::min() / 8); }));
}

TEST_CASE("device pointer arithmetic does not wrap around", "[O5]") {
    const auto p = memory<double>(0x1000, 10);
    CHECK(out_of_bounds([&] { (void)(p + (std::ptrdiff_t{1} << 61)); }));  // 2^64 bytes further
    CHECK(out_of_bounds([&] { (void)(p + (std::ptrdiff_t{1} << 61) + 3); }));
    CHECK(out_of_bounds([&] { (void)(p - (std::ptrdiff_t{1} << 61)); }));
}

TEST_CASE("device pointers of unknown memory have no bounds", "[O5]") {
    int host = 0;
    const ag::device_ptr<int> from_pointer(&host);
    CHECK(from_pointer.get() == &host);
    CHECK_FALSE(from_pointer.allocation().known());
    CHECK(from_pointer.known_elements() == 0);
    CHECK((from_pointer + 1000000).address() == from_pointer.address() + 4000000);
    CHECK((from_pointer - 5).address() == from_pointer.address() - 20);
    CHECK(ag::device_span(from_pointer, 1000).size() == 1000);
    CHECK_FALSE(ag::device_ptr<int>());
    CHECK(from_pointer);
    CHECK(memory<int>(0, 4));  // the model has no addresses
}

TEST_CASE("a pointer to const keeps bounds and allocation", "[O5]") {
    const ag::device_ptr<const float> p = memory<float>(0x1000, 10) + 2;
    CHECK(p.address() == 0x1008);
    CHECK(p.known_elements() == 8);
    CHECK(p.allocation() == somewhere);
    CHECK(out_of_bounds([&] { (void)(p + 9); }));
    const ag::device_span<const float> s = ag::device_span<float>(memory<float>(0x1000, 10), 10);
    CHECK(s.size() == 10);
    CHECK(s.allocation() == somewhere);
    CHECK(out_of_bounds([&] { (void)s.first(11); }));
}

TEST_CASE("spans stay in their allocation, and sub-spans in their span", "[O5]") {
    constexpr auto p = memory<int>(0x1000, 10);
    constexpr ag::device_span<int> s(p, 10);
    STATIC_REQUIRE(s.size_bytes() == 40);
    STATIC_REQUIRE(s.subspan(4, 3).data().address() == 0x1010);
    STATIC_REQUIRE(s.last(3).data().address() == 0x101C);
    STATIC_REQUIRE(s.first(0).empty());
    STATIC_REQUIRE(s.subspan(10, 0).empty());
    STATIC_REQUIRE(s.subspan(2, 6).subspan(1, 2).data().address() == 0x100C);
    STATIC_REQUIRE(ag::device_span<int>().empty());
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
    CHECK(out_of_bounds([&] { (void)ag::device_span<int>(p, 11); }));
    CHECK(out_of_bounds([&] { (void)ag::device_span<int>(p + 5, 6); }));
    CHECK(out_of_bounds([&] { (void)s.subspan(8, 3); }));
    CHECK(out_of_bounds([&] { (void)s.subspan(11, 0); }));
    CHECK(out_of_bounds([&] { (void)s.subspan(1, huge); }));
    CHECK(out_of_bounds([&] { (void)s.subspan(huge, 2); }));
    CHECK(out_of_bounds([&] { (void)s.first(11); }));
    CHECK(out_of_bounds([&] { (void)s.last(11); }));
    CHECK(out_of_bounds([&] { (void)s.last(huge); }));
    CHECK(out_of_bounds([&] { (void)s.first(5).subspan(5, 1); }));
}

TEST_CASE("a span that starts at the end of its allocation is empty", "[O5]") {
    const auto p = memory<int>(0x1000, 10);
    CHECK(ag::device_span<int>(p + 10, 0).empty());
    CHECK(out_of_bounds([&] { (void)ag::device_span<int>(p + 10, 1); }));
}
