// Children: by copy, by move, what a moved child leaves to its parent, and what may not be a child.

#include <optional>

#include <catch2/generators/catch_generators.hpp>

#include "fixture.hpp"

#define PLAIN_GRAPHS ag::graph, ag::unchecked_graph

namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// Bytes of graph memory that a launch and its relaunch used at most.
template <class Exec>
std::uint64_t used_by(Exec& exec, const ag::stream& stream) {
    const ag::graph_memory memory(ag::device{0});
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    memory.trim();
    memory.reset_highs();
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    return memory.used_high();
}

/// A graph that allocates and frees so many bytes.
ag::memory_graph child_of(std::size_t bytes) {
    ag::memory_graph made;
    auto x = made.add_alloc<std::byte>(bytes);
    auto set = made.add_memset(ag::after(x), x.span().first(64), ag::zero);
    made.add_free(ag::after(set), std::move(x));
    return made;
}

}  // namespace

TEMPLATE_TEST_CASE("a child is copied as it is when it is added", "[G4]", PLAIN_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    int host[2] = {1, 2};
    int back[2] = {0, 0};
    ag::memory_graph owner;
    auto x = owner.add_alloc<int>(2);
    auto holds = std::move(owner).instantiate(ag::outputs(std::move(x)));
    auto [memory] = holds.launch(stream);

    TestType child;
    auto in = child.add_memcpy(memory.span(), host);
    TestType parent;
    auto first = parent.add_child(child);
    parent.add_memcpy(ag::after(first), back, memory.span());
    child.add_memset(ag::after(in), memory.span(), 9);  // too late for the copy
    static_assert(std::same_as<decltype(first), ag::child_node>);
    auto exec = parent.instantiate();
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(back[0] == 1);
    CHECK(back[1] == 2);
    auto alone = child.instantiate();
    alone.launch(stream);
    CHECK(contents(memory) == std::vector<int>{9, 9});
}

TEST_CASE("every kind of graph holds copies of plain graphs", "[G4]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::graph inner;
    inner.add_empty();
    ag::graph middle;
    middle.add_child(inner);
    ag::memory_graph outer;
    auto condition = outer.make_condition(1);
    auto inside = outer.add_child(child_of(64));
    auto when = outer.add_if({}, condition);
    outer.add_child(ag::after(when.node), middle);
    when.body.add_child(middle);
    inside.graph.add_child(middle);
    auto exec = std::move(outer).instantiate();
    exec.launch(stream);
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
}

TEST_CASE("a moved child belongs to its parent and takes further nodes", "[G4][C1][C4]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph parent;
    ag::memory_graph child;
    auto x = child.add_alloc<int>(4);
    const auto memory = x.span();
    auto set = child.add_memset(ag::after(x), memory, 7);
    const CUgraph handle = child.get();
    auto moved = parent.add_child(std::move(child));
    auto& node = moved.node;
    auto& inside = moved.graph;
    CHECK(inside.get() == handle);
    CHECK(child.get() == nullptr);
    auto second = inside.add_memset(ag::after(set), memory.first(2), 8);
    inside.add_dependency(second, inside.add_empty());
    int back[4] = {};
    auto copy = parent.add_memcpy(ag::after(node), back, memory);
    parent.add_free(ag::after(copy), std::move(x));
    auto exec = std::move(parent).instantiate();
    for (int launches = 0; launches < 2; ++launches) {
        std::fill(std::begin(back), std::end(back), 0);
        exec.launch(stream);
        must(cuStreamSynchronize(stream), "cuStreamSynchronize");
        CHECK(std::vector<int>(std::begin(back), std::end(back)) == std::vector<int>{8, 8, 7, 7});
    }
    CHECK(std::string(misuse_of([&] { inside.add_empty(); }).rule()) == "G10");
    auto again = std::move(exec).release_graph();
    inside.add_empty();
}

TEST_CASE("a handle of a child whose parent is gone is refused", "[C4]") {
    const nothing_leaks guard;
    std::optional<ag::memory_graph> parent(std::in_place);
    auto moved = parent->add_child(child_of(64));
    parent.reset();
    CHECK(std::string(misuse_of([&] { moved.graph.add_empty(); }).rule()) == "G10");
}

TEST_CASE("without checks a child moves as the driver says", "[G4][C15]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::unchecked_memory_graph parent;
    ag::unchecked_memory_graph child;
    auto x = child.add_alloc<int>(1);
    child.add_memset(ag::after(x), x.span(), 3);
    auto moved = parent.add_child(std::move(child));
    moved.graph.add_empty();
    auto exec = std::move(parent).instantiate(ag::outputs(std::move(x)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<int>{3});
}

TEST_CASE("what a moved child leaves is its parent's to free", "[C15][O3][O4]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph parent;
    ag::memory_graph child;
    auto x = child.add_alloc<float>(16, ag::named("left"));
    const std::string allocated = place(__FILE__, __LINE__ - 1);
    auto moved = parent.add_child(std::move(child));
    auto& node = moved.node;
    auto beside = parent.add_empty();

    const ag::misuse early = misuse_of([&] { parent.add_free(ag::after(beside), std::move(x)); });
    CHECK(std::string(early.rule()) == "O4");
    CHECK_THAT(early.what(), ContainsSubstring("'left'") && ContainsSubstring(allocated));
    const ag::misuse unordered = misuse_of([&] { parent.add_memset(x.span(), 0.0f); });
    CHECK(std::string(unordered.rule()) == "O1");

    auto set = parent.add_memset(ag::after(node), x.span(), 1.0f);
    CHECK(std::string(misuse_of([&] { parent.add_free(ag::after(node), std::move(x)); }).rule()) == "O3");
    CHECK(std::string(misuse_of([&] { return std::move(parent).instantiate(); }).rule()) == "F10");
    parent.add_free(ag::after(set), std::move(x));
    auto exec = std::move(parent).instantiate();
    exec.launch(stream);
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
}

TEST_CASE("what a moved child leaves becomes an output of its parent", "[C15][X1][F10]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph parent;
    ag::memory_graph child;
    auto x = child.add_alloc<int>(2);
    child.add_memset(ag::after(x), x.span(), 5);
    auto own = parent.add_alloc<int>(1);
    auto set = parent.add_memset(ag::after(own), own.span(), 6);
    parent.add_child(ag::after(set), std::move(child));
    SECTION("outputs") {
        auto exec = std::move(parent).instantiate(ag::outputs(std::move(own), std::move(x)));
        {
            auto [six, five] = exec.launch(stream);
            CHECK(contents(five) == std::vector<int>{5, 5});
            CHECK(contents(six) == std::vector<int>{6});
            six.free();
            CHECK(std::string(misuse_of([&] { exec.launch(stream); }).rule()) == "X1");
        }
        auto [six, five] = exec.launch(stream);
        auto released = std::move(exec).release_graph();
        auto& graph = std::get<0>(released);
        CHECK(std::string(misuse_of([&] { return std::move(graph).instantiate(); }).rule()) == "F10");
    }
    SECTION("auto-free") {
        auto exec = std::move(parent).instantiate(ag::auto_free(std::move(x), std::move(own)));
        for (int launches = 0; launches < 3; ++launches) {
            auto [five, six] = exec.launch(stream);
            CHECK(contents(five, stream) == std::vector<int>{5, 5});
            CHECK(contents(six, stream) == std::vector<int>{6});
        }
    }
}

TEST_CASE("a third graph frees what a moved child leaves", "[C15][X6][F3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const bool before = GENERATE(true, false);
    ag::memory_graph parent;
    ag::memory_graph child;
    ag::memory_graph other;
    auto x = child.add_alloc<int>(2);
    if (before) {
        other.add_free(std::move(x));
        parent.add_child(std::move(child));
    } else {
        parent.add_child(std::move(child));
        other.add_free(std::move(x));
    }
    auto makes = std::move(parent).instantiate();
    auto frees = std::move(other).instantiate();
    CHECK(std::string(misuse_of([&] { frees.launch(stream); }).rule()) == "X6");
    makes.launch(stream);
    CHECK(std::string(misuse_of([&] { makes.launch(stream); }).rule()) == "X1");
    frees.launch(stream);
    makes.launch(stream);
    frees.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
}

TEST_CASE("parent and child do not free each other's memory from before the move", "[C15]") {
    const nothing_leaks guard;
    ag::memory_graph parent;
    ag::memory_graph child;
    if (GENERATE(true, false)) {
        child.add_free(parent.add_alloc<int>(1));
    } else {
        parent.add_free(child.add_alloc<int>(1));
    }
    CHECK(std::string(misuse_of([&] { parent.add_child(std::move(child)); }).rule()) == "C15");
    CHECK(child.get() != nullptr);
}

TEST_CASE("children nest, and tokens find their way out", "[C3][C7][C15]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph outer;
    ag::memory_graph middle;
    ag::memory_graph inner;
    auto x = inner.add_alloc<int>(1, ag::named("deep"));
    auto y = middle.add_alloc<int>(1);
    auto z = inner.add_alloc<int>(1);
    inner.add_memset(ag::after(x), x.span(), 1);
    auto moved_inner = middle.add_child(std::move(inner));
    auto& in_middle = moved_inner.node;
    auto& inner_graph = moved_inner.graph;
    middle.add_free(ag::after(in_middle), std::move(z));
    middle.add_memset(ag::after(y), y.span(), 2);
    auto moved_middle = outer.add_child(std::move(middle));
    auto& in_outer = moved_middle.node;
    auto& middle_graph = moved_middle.graph;
    inner_graph.add_empty();
    middle_graph.add_memset(ag::after(in_middle), x.span(), 3);
    CHECK(std::string(misuse_of([&] { outer.add_memset(x.span(), 4); }).rule()) == "O1");
    auto set = outer.add_memset(ag::after(in_outer), x.span(), 4);
    int back = 0;
    auto copy = outer.add_memcpy(ag::after(set), std::span(&back, 1), x.span());
    outer.add_free(ag::after(copy), std::move(x));
    auto exec = std::move(outer).instantiate(ag::outputs(std::move(y)));
    auto [two] = exec.launch(stream);
    CHECK(contents(two) == std::vector<int>{2});
    CHECK(back == 4);
}

TEST_CASE("what a child uses of its parent's memory counts for the child node", "[C9][O1][O3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph parent;
    auto x = parent.add_alloc<float>(16, ag::named("outer"));
    const auto memory = x.span();
    SECTION("copied") {
        ag::graph child;
        child.add_memset(memory, 1.0f);
        CHECK(std::string(misuse_of([&] { parent.add_child(child); }).rule()) == "O1");
        auto node = parent.add_child(ag::after(x), child);
        CHECK(std::string(misuse_of([&] { parent.add_free(ag::after(x), std::move(x)); }).rule()) == "O3");
        parent.add_free(ag::after(node), std::move(x));
    }
    SECTION("moved, used before and after the move") {
        ag::memory_graph child = child_of(64);
        auto moved_early = parent.add_child(child_of(64));
        auto& early = moved_early.graph;
        child.add_memset(memory, 1.0f);
        CHECK(std::string(misuse_of([&] { parent.add_child(std::move(child)); }).rule()) == "O1");
        auto moved = parent.add_child(ag::after(x), std::move(child));
        auto& node = moved.node;
        auto& inside = moved.graph;
        const ag::misuse unordered = misuse_of([&, &outside = early] { outside.add_memset(memory, 2.0f); });
        CHECK(std::string(unordered.rule()) == "O1");
        CHECK_THAT(unordered.what(), ContainsSubstring("'outer'") && ContainsSubstring("inside"));
        inside.add_kernel(test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, memory.data(), memory.data());
        CHECK(std::string(misuse_of([&] { parent.add_free(ag::after(x), std::move(x)); }).rule()) == "O3");
        parent.add_free(ag::after(node), std::move(x));
        // Kernels may still come: the child node is before the free. The driver takes no more memsets.
        inside.add_kernel(test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, memory.data(), memory.data());
        CHECK(std::string(misuse_of([&, &in = inside] { in.add_memset(memory, 3.0f); }).rule()) == "O2");
        CHECK(std::string(misuse_of([&, &outside = early] {
                              outside.add_kernel(test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, memory.data(),
                                                 memory.data());
                          }).rule()) == "O1");
    }
    auto exec = std::move(parent).instantiate();
    exec.launch(stream);
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
}

TEST_CASE("a use behind the free of the parent's allocation is found", "[C9][O3]") {
    const nothing_leaks guard;
    ag::memory_graph parent;
    auto x = parent.add_alloc<float>(16);
    const auto memory = x.span();
    auto freed = parent.add_free(ag::after(x), std::move(x));
    auto moved = parent.add_child(ag::after(freed), child_of(64));
    auto& node = moved.node;
    auto& inside = moved.graph;
    const ag::misuse late = misuse_of([&, &in = inside] {
        in.add_kernel(test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, memory.data(), memory.data());
    });
    CHECK(std::string(late.rule()) == "O3");
    ag::graph copied;
    copied.add_kernel(test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, memory.data(), memory.data());
    CHECK(std::string(misuse_of([&, &after = node] { parent.add_child(ag::after(after), copied); }).rule()) == "O2");
}

TEST_CASE("a graph is not its own child", "[C6]") {
    const nothing_leaks guard;
    ag::memory_graph memory;
    memory.add_empty();
    CHECK(std::string(misuse_of([&] { memory.add_child(std::move(memory)); }).rule()) == "C6");
    CHECK(memory.get() != nullptr);
    ag::graph plain;
    plain.add_empty();
    CHECK(std::string(misuse_of([&] { plain.add_child(plain); }).rule()) == "C6");  // here the driver crashes
}

TEST_CASE("a graph that holds a conditional is no child", "[C17]") {
    const nothing_leaks guard;
    ag::memory_graph parent;
    ag::graph copied;
    auto decides = copied.make_condition(1);
    auto when = copied.add_if({}, decides);
    CHECK(std::string(misuse_of([&] { parent.add_child(copied); }).rule()) == "C17");
    copied.destroy_node(when.node);  // the driver still refuses
    CHECK(std::string(misuse_of([&] { parent.add_child(copied); }).rule()) == "C17");
    ag::memory_graph moved = child_of(64);
    auto other = moved.make_condition(1);
    moved.add_if({}, other);
    CHECK(std::string(misuse_of([&] { parent.add_child(std::move(moved)); }).rule()) == "C17");
    CHECK(moved.get() != nullptr);
}

TEST_CASE("a refused child is still the caller's", "[C15][D2]") {
    const nothing_leaks guard;
    ag::memory_graph parent;
    ag::memory_graph child;
    auto x = child.add_alloc<int>(4);
    auto a = parent.add_empty();
    CHECK(std::string(misuse_of([&] { parent.add_child(ag::after(a, a), std::move(child)); }).rule()) == "D2");
    REQUIRE(child.get() != nullptr);
    if (allograph_reference_active()) {
        allograph_reference_fail("cuGraphAddNode_v2", 1, CUDA_ERROR_OUT_OF_MEMORY);
        CHECK(driver_error_of([&] { parent.add_child(std::move(child)); }).result() == CUDA_ERROR_OUT_OF_MEMORY);
        allograph_reference_clear_failures();
        REQUIRE(child.get() != nullptr);
    }
    child.add_free(ag::after(x), std::move(x));
    auto exec = std::move(child).instantiate();
    auto other = std::move(parent).instantiate();
}

TEST_CASE("the footprint counts a moved child as its chunks and one more", "[M6][M3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    struct measured {
        std::size_t child, parent;
        bool after;
        std::uint64_t used;
    };
    const measured each = GENERATE(measured{64, 64, true, 96}, measured{64, 64, false, 160}, measured{64, 128, true, 224},
                                   measured{128, 64, true, 160}, measured{64, 0, true, 96}, measured{1, 0, true, 64},
                                   measured{33, 0, true, 96}, measured{256, 256, true, 288});
    CAPTURE(each.child, each.parent, each.after);
    ag::memory_graph parent;
    auto moved = parent.add_child(child_of(each.child * mebibyte));
    if (each.parent != 0) {
        auto x = each.after ? parent.add_alloc<std::byte>(ag::after(moved.node), each.parent * mebibyte)
                            : parent.add_alloc<std::byte>(each.parent * mebibyte);
        parent.add_free(ag::after(x), std::move(x));
    }
    CHECK(parent.footprint().bytes() == each.used * mebibyte);
    auto exec = std::move(parent).instantiate();
    CHECK(exec.footprint().bytes() == each.used * mebibyte);
    CHECK(used_by(exec, stream) == each.used * mebibyte);
}

TEST_CASE("ordered children share a block, and memory from before a child is not its own", "[M6]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const int order = GENERATE(0, 1, 2);
    ag::memory_graph parent;
    if (order == 2) {
        auto x = parent.add_alloc<std::byte>(64 * mebibyte);
        auto freed = parent.add_free(ag::after(x), std::move(x));
        parent.add_child(ag::after(freed), child_of(64 * mebibyte));
    } else {
        auto first = parent.add_child(child_of(64 * mebibyte));
        if (order == 1) {
            parent.add_child(ag::after(first.node), child_of(64 * mebibyte));
        } else {
            parent.add_child(child_of(64 * mebibyte));
        }
    }
    const std::uint64_t expected = (order == 0 ? 192 : order == 1 ? 96 : 160) * mebibyte;
    CHECK(parent.footprint().bytes() == expected);
    auto exec = std::move(parent).instantiate();
    CHECK(used_by(exec, stream) == expected);
}
