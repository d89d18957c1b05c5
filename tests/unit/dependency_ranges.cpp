// How a call takes its dependencies: referred to where the layout allows, gathered where not.

#include <array>
#include <list>
#include <ranges>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <allograph/graph/detail/raw_dependencies.hpp>

namespace ag = allograph;

namespace {

CUgraphNode handle(std::uintptr_t number) { return reinterpret_cast<CUgraphNode>(number * 16); }

std::vector<ag::node> nodes(std::size_t count) {
    std::vector<ag::node> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(ag::detail::handle_access::make_node(handle(i + 1), 5, static_cast<std::uint32_t>(i)));
    }
    return all;
}

/// Where the driver will find the dependencies of a call.
const CUgraphNode* passed_on(const ag::dependencies& deps) { return ag::detail::raw_dependencies(deps).list().data(); }

std::vector<CUgraphNode> gathered(const ag::dependencies& deps) {
    const ag::detail::raw_dependencies raw(deps);
    return {raw.list().begin(), raw.list().end()};
}

}  // namespace

TEST_CASE("the driver's handles are passed on from where they are", "[D5]") {
    const std::vector<CUgraphNode> vector{handle(1), handle(2), handle(3)};
    const std::array<CUgraphNode, 3> array{handle(1), handle(2), handle(3)};
    CHECK(passed_on(vector) == vector.data());
    CHECK(passed_on(array) == array.data());
    CHECK(passed_on(std::span(vector).last(2)) == vector.data() + 1);
#if !defined(__clang__) || __clang_major__ >= 16  // clang 14 and 15 cannot read the views of libstdc++
    CHECK(passed_on(vector | std::views::drop(1)) == vector.data() + 1);
#endif
    CHECK(ag::dependencies(vector).raw() == vector.data());
    CHECK(ag::dependencies(std::list<CUgraphNode>(vector.begin(), vector.end())).raw() == nullptr);
}

TEST_CASE("contiguous nodes are not copied", "[D5]") {
    std::vector<ag::node> vector = nodes(20);
    const ag::dependencies deps(vector);
    CHECK(deps.size() == 20);
    CHECK(deps.raw() == nullptr);
    vector[19] = ag::node(handle(99));  // what a reference sees, and a copy would not
    CHECK(deps[19].get() == handle(99));
    const std::span<ag::node> part = std::span(vector).first(3);
    const ag::dependencies of_a_span(part);
    vector[2] = ag::node(handle(98));
    CHECK(of_a_span[2].get() == handle(98));
}

TEST_CASE("every other range is gathered, in its order", "[D5]") {
    for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 18u, 200u}) {
        const std::vector<ag::node> all = nodes(count);
        std::vector<CUgraphNode> expected;
        for (const ag::node& n : all) {
            expected.push_back(n.get());
        }
        const std::list<ag::node> list(all.begin(), all.end());
        CHECK(gathered(all) == expected);
        CHECK(gathered(list) == expected);
        CHECK(gathered(expected) == expected);
#if !defined(__clang__) || __clang_major__ >= 16  // clang 14 and 15 cannot read the views of libstdc++
        CHECK(gathered(all | std::views::transform([](const ag::node& n) { return n.get(); })) == expected);
#endif
        const ag::dependencies deps(list);
        REQUIRE(deps.size() == count);
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(deps[i] == all[i]);
            CHECK(ag::detail::handle_access::parts(deps[i]).index == i);
        }
    }
}

TEST_CASE("after and unique_after keep graph and place of their nodes", "[D2][D3]") {
    const std::vector<ag::node> all = nodes(3);
    const auto pair = ag::after(all[2], all[0].get());
    CHECK(ag::detail::handle_access::parts(pair[0]).index == 2);
    CHECK(ag::detail::handle_access::parts(pair[1]).graph == 0);
    const std::vector<ag::node> unique = ag::unique_after(std::vector{all[1], all[0], all[1], all[2], all[0]});
    CHECK(unique == std::vector{all[1], all[0], all[2]});
    CHECK(ag::unique_after(std::list<CUgraphNode>{handle(1), handle(1)}).size() == 1);
    CHECK(ag::unique_after(std::vector<ag::node>{}).empty());
}

TEST_CASE("the line of a call is the caller's", "[D5]") {
    const auto line_of = [](const ag::dependencies& deps) { return deps.where().line; };
    CHECK(line_of(nodes(1)) == __LINE__);
    CHECK(line_of({ag::node(handle(1))}) == __LINE__);
    CHECK(line_of(std::list<ag::node>{}) == __LINE__);
    CHECK(line_of(ag::inferred) == __LINE__);
    CHECK(line_of(ag::after(nodes(1)[0]) + ag::inferred) == __LINE__);
    CHECK(ag::dependencies(ag::inferred).inferred());
    CHECK((ag::dependencies(ag::after(nodes(1)[0]) + ag::inferred).size()) == 1);
}

TEST_CASE("nodes compare by what they stand for", "[D4]") {
    const std::vector<ag::node> all = nodes(2);
    CHECK(all[0] == ag::node(handle(1)));
    CHECK(all[0] != all[1]);
    CHECK(ag::node() == ag::node());
    CHECK(ag::detail::handle_access::make_node(nullptr, 1, 0) != ag::detail::handle_access::make_node(nullptr, 1, 1));
    CHECK(ag::detail::handle_access::make_node(nullptr, 1, 0) != ag::node());
}
