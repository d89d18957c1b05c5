// What may be passed for a kernel's parameter, and which values fit.

#include <cstdint>
#include <limits>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <allograph/model/kernel.hpp>
#include <allograph/model/launch_config.hpp>

namespace ag = allograph;

namespace {

template <class Param, class Arg>
constexpr bool fits = ag::detail::kernel_argument<Param, const Arg&>;

template <class Param, class Arg>
bool refused(const Arg& argument) {
    try {
        (void)ag::detail::to_parameter<Param>(argument);
    } catch (const ag::misuse& mistake) {
        return mistake.rule() == std::string("argument");
    }
    return false;
}

struct pair {
    int first;
    float second;
};
struct other_pair {
    int first;
    float second;
};

}  // namespace

TEST_CASE("which arguments fit which parameters", "[argument]") {
    STATIC_REQUIRE(fits<int, int>);
    STATIC_REQUIRE(fits<int, std::size_t>);
    STATIC_REQUIRE(fits<std::uint8_t, long long>);
    STATIC_REQUIRE(fits<float, float>);
    STATIC_REQUIRE(fits<double, float>);
    STATIC_REQUIRE(fits<bool, bool>);
    STATIC_REQUIRE(fits<pair, pair>);
    STATIC_REQUIRE(fits<float*, ag::device_ptr<float>>);
    STATIC_REQUIRE(fits<const float*, ag::device_ptr<float>>);
    STATIC_REQUIRE(fits<const float*, ag::device_ptr<const float>>);
    STATIC_REQUIRE(fits<void*, ag::device_ptr<float>>);
    STATIC_REQUIRE(fits<const void*, ag::device_ptr<const float>>);
    STATIC_REQUIRE(fits<float*, float*>);
    STATIC_REQUIRE(fits<const float*, std::nullptr_t>);

    STATIC_REQUIRE_FALSE(fits<float, double>);
    STATIC_REQUIRE_FALSE(fits<float, int>);
    STATIC_REQUIRE_FALSE(fits<int, float>);
    STATIC_REQUIRE_FALSE(fits<int, bool*>);
    STATIC_REQUIRE_FALSE(fits<pair, other_pair>);
    STATIC_REQUIRE_FALSE(fits<float*, ag::device_ptr<const float>>);
    STATIC_REQUIRE_FALSE(fits<float*, ag::device_ptr<int>>);
    STATIC_REQUIRE_FALSE(fits<float*, ag::device_ptr<double>>);
    STATIC_REQUIRE_FALSE(fits<std::uint64_t, ag::device_ptr<float>>);
    STATIC_REQUIRE_FALSE(fits<float*, const float*>);
}

TEST_CASE("whole numbers pass where their value fits", "[argument]") {
    STATIC_REQUIRE(ag::detail::to_parameter<int>(std::size_t{5}) == 5);
    CHECK(ag::detail::to_parameter<int>(std::size_t{2147483647}) == 2147483647);
    CHECK(refused<int>(std::size_t{2147483648}));
    CHECK(ag::detail::to_parameter<std::uint32_t>(4294967295LL) == 4294967295u);
    CHECK(refused<std::uint32_t>(4294967296LL));
    CHECK(refused<std::uint32_t>(-1));
    CHECK(refused<std::size_t>(-1));
    CHECK(ag::detail::to_parameter<signed char>(-128) == -128);
    CHECK(refused<signed char>(128));
    CHECK(refused<signed char>(-129));
    CHECK(refused<std::int64_t>(std::numeric_limits<std::uint64_t>::max()));
    CHECK(ag::detail::to_parameter<std::int64_t>(std::uint64_t{1} << 62) == std::int64_t{1} << 62);
}

TEST_CASE("pointers pass as their address and say what the kernel does with the memory", "[O1]") {
    const auto p =
        ag::detail::handle_access::make<ag::device_ptr<float>>(std::uint64_t{0x1000}, std::size_t{4}, ag::allocation_ref{1, 2});
    CHECK(ag::detail::to_parameter<const float*>(p + 1) == reinterpret_cast<const float*>(0x1004));
    const ag::memory_use writes = ag::detail::use_of_argument<float*>(p);
    const ag::memory_use reads = ag::detail::use_of_argument<const float*>(p);
    CHECK(writes.allocation == ag::allocation_ref{1, 2});
    CHECK(writes.how == ag::access::write);
    CHECK(reads.how == ag::access::read);
    CHECK_FALSE(ag::detail::use_of_argument<int>(5).allocation.known());
    CHECK(ag::uses(ag::reads(p), ag::writes(p)).items[1].how == ag::access::write);
    CHECK_FALSE(ag::kernel<void(int)>("planned").has_function());
    CHECK(ag::kernel<void(int)>("planned").name() == std::string("planned"));
}

TEST_CASE("grid_for covers its elements", "[grid]") {
    STATIC_REQUIRE(ag::grid_for(1).grid.x == 1);
    STATIC_REQUIRE(ag::grid_for(256).grid.x == 1);
    STATIC_REQUIRE(ag::grid_for(257).grid.x == 2);
    STATIC_REQUIRE(ag::grid_for(0).grid.x == 1);
    STATIC_REQUIRE(ag::grid_for(1000, 128).grid.x == 8);
    STATIC_REQUIRE(ag::grid_for(1000, 128).block == ag::extent{.x = 128, .y = 1, .z = 1});
    STATIC_REQUIRE_FALSE(ag::grid_for(1000).has_cluster());
    CHECK(ag::grid_for(0x7FFFFFFFull * 256).grid.x == 0x7FFFFFFFu);
    const auto rule_of = [](auto&& action) -> std::string {
        try {
            action();
        } catch (const ag::misuse& mistake) {
            return mistake.rule();
        }
        return {};
    };
    CHECK(rule_of([] { (void)ag::grid_for(0x7FFFFFFFull * 256 + 1); }) == "grid");
    CHECK(rule_of([] { (void)ag::grid_for(std::numeric_limits<std::size_t>::max(), 1); }) == "grid");
    CHECK(rule_of([] { (void)ag::grid_for(10, 0); }) == "grid");
}
