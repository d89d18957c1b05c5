// Device memory of graphs: trimming in a scope, and executables that make place for the next.

#include <allograph/graph/replace.hpp>
#include <allograph/graph/scoped_trim.hpp>

#include "fixture.hpp"

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

template <class G>
G graph_of(std::size_t bytes) {
    G g;
    auto x = g.template add_alloc<std::byte>(bytes);
    auto set = g.add_memset(ag::after(x), x.span().first(64), ag::zero);
    g.add_free(ag::after(set), std::move(x));
    return g;
}

}  // namespace

TEST_CASE("a scope gives graph memory back", "[M5]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::graph_memory memory(ag::device{0});
    auto exec = graph_of<ag::memory_graph>(40 * mebibyte).instantiate();
    memory.trim();
    {
        const ag::scoped_trim trims(ag::device{0});
        exec.launch(stream);
        must(cuStreamSynchronize(stream), "cuStreamSynchronize");
        CHECK(memory.reserved() >= 64 * mebibyte);
    }
    CHECK(memory.reserved() == 0);
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(std::string(misuse_of([] { const ag::scoped_trim nowhere(ag::device{77}); }).rule()) == "A6");
}

TEMPLATE_TEST_CASE("an executable makes place for another", "[M1][M5]", ag::memory_graph, ag::unchecked_memory_graph) {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::stream other;
    const ag::graph_memory memory(ag::device{0});
    memory.trim();
    memory.reset_highs();
    auto first = graph_of<TestType>(128 * mebibyte).instantiate();
    first.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    auto second = ag::replace(std::move(first), graph_of<TestType>(96 * mebibyte), ag::upload_to{other});
    must(cuStreamSynchronize(other), "cuStreamSynchronize");
    CHECK(memory.reserved_high() <= 160 * mebibyte);
    second.launch(other);
    must(cuStreamSynchronize(other), "cuStreamSynchronize");
    CHECK(memory.reserved_high() <= 160 * mebibyte);

    TestType with_output;
    auto x = with_output.template add_alloc<int>(1);
    with_output.add_memset(ag::after(x), x.span(), 4);
    auto third = ag::replace(std::move(second), std::move(with_output), ag::outputs(std::move(x)));
    auto [result] = third.launch(stream);
    CHECK(contents(result) == std::vector<int>{4});
}

TEST_CASE("a graph that uses another's output is launched while that lives", "[X6][X4]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph maker;
    auto x = maker.add_alloc<float>(16, ag::named("lent"));
    const auto memory = x.span();
    maker.add_memset(ag::after(x), memory, 1.0f);
    ag::graph plain;
    auto set = plain.add_kernel(test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, memory.data(), memory.data());
    const std::string used = place(__FILE__, __LINE__ - 1);
    ag::memory_graph user;
    auto own = user.add_alloc<float>(16);
    user.add_free(ag::after(user.add_kernel(ag::after(own), test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, memory.data(),
                                            own.data())),
                  std::move(own));
    auto uses = plain.instantiate();
    auto makes = std::move(maker).instantiate(ag::outputs(std::move(x)));
    auto uses_too = std::move(user).instantiate();
    const ag::misuse early = misuse_of([&] { uses.launch(stream); });
    CHECK(std::string(early.rule()) == "X6");
    CHECK_THAT(early.what(), ContainsSubstring("lent: float[16], 64 bytes") && ContainsSubstring(used));
    CHECK(std::string(misuse_of([&] { uses_too.launch(stream); }).rule()) == "X6");
    {
        auto [lent] = makes.launch(stream);
        uses.launch(stream);
        uses_too.launch(stream);
        CHECK(contents(lent)[15] == 2.0f);
    }
    CHECK(std::string(misuse_of([&] { uses.launch(stream); }).rule()) == "X6");
    CHECK(std::string(misuse_of([&] { uses_too.launch(stream); }).rule()) == "X6");
    SECTION("let go of, it may still be there") {
        auto [lent] = makes.launch(stream);
        const CUdeviceptr address = lent.release().address();
        uses.launch(stream);
        must(cuMemFreeAsync(address, stream), "cuMemFreeAsync");
    }
    SECTION("updated, it may use something else") {
        auto [lent] = makes.launch(stream);
        auto copy = plain.clone();
        auto of_copy = copy.instantiate();
        of_copy.launch(stream);
        uses.update(copy);
        uses.launch(stream);
        lent.free();
        CHECK(std::string(misuse_of([&] { uses.launch(stream); }).rule()) == "X6");
        auto [again] = makes.launch(stream);
        uses.set_enabled(set, false);
        again.free();
        uses.launch(stream);
    }
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
}

TEST_CASE("a refused replacement leaves both as they were", "[F10]") {
    const nothing_leaks guard;
    const ag::stream stream;
    auto first = graph_of<ag::memory_graph>(64).instantiate();
    ag::memory_graph next;
    auto x = next.add_alloc<int>(1);
    CHECK(std::string(misuse_of([&] { return ag::replace(std::move(first), std::move(next)); }).rule()) == "F10");
    first.launch(stream);
    next.add_free(ag::after(x), std::move(x));
    auto second = ag::replace(std::move(first), std::move(next));
    second.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
}
