// Allocation tokens and the lists that carry them into an executable.

#include <catch2/catch_test_macros.hpp>

#include <allograph/model/outputs.hpp>

namespace ag = allograph;

namespace {

template <class T>
ag::alloc_node<T> token(std::uint32_t number, std::size_t count) {
    const ag::node made = ag::detail::handle_access::make_node(nullptr, 1, number);
    return ag::detail::handle_access::make<ag::alloc_node<T>>(made, std::uint64_t{0x1000}, count, number);
}

}  // namespace

TEST_CASE("a token is spent by its move", "[F9][F1]") {
    auto x = token<float>(4, 10);
    CHECK_FALSE(x.spent());
    CHECK(x.size_bytes() == 40);
    CHECK(x.allocation() == ag::allocation_ref{1, 4});
    auto y = std::move(x);
    CHECK(x.spent());
    CHECK_FALSE(y.spent());
    CHECK(y.data().address() == 0x1000);
    CHECK(y.data().known_elements() == 10);
    CHECK_THROWS_AS(x.data(), ag::misuse);
    CHECK_THROWS_AS(x.span(), ag::misuse);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<ag::alloc_node<float>>);
    STATIC_REQUIRE_FALSE(std::is_move_assignable_v<ag::alloc_node<float>>);
    STATIC_REQUIRE_FALSE(std::is_default_constructible_v<ag::alloc_node<float>>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<ag::alloc_node<float>>);
}

TEST_CASE("lists of outputs hold their tokens until somebody takes them", "[F10]") {
    auto x = token<float>(0, 1);
    auto y = token<int>(1, 2);
    auto list = ag::outputs(std::move(x), std::move(y));
    CHECK(x.spent());
    CHECK(std::get<1>(list.tokens()).size() == 2);
    CHECK_FALSE(std::get<0>(list.tokens()).spent());
    auto moved = std::move(list);
    CHECK(std::get<0>(list.tokens()).spent());
    CHECK_FALSE(std::get<0>(moved.tokens()).spent());

    std::vector<ag::alloc_node<int>> tokens;
    tokens.push_back(token<int>(2, 3));
    auto container = ag::auto_free(std::move(tokens));
    CHECK(container.tokens().size() == 1);
    STATIC_REQUIRE(decltype(container)::what == ag::fate::auto_free);
    STATIC_REQUIRE(decltype(list)::what == ag::fate::output);
}
