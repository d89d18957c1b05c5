// Several devices: memory of one that another reaches, or does not.

#include "fixture.hpp"

namespace {

bool two_devices() {
    const ag::stream needs_a_driver;
    int count = 0;
    int possible = 0;
    must(cuDeviceGetCount(&count), "cuDeviceGetCount");
    if (count < 2) {
        return false;
    }
    must(cuDeviceCanAccessPeer(&possible, 0, 1), "cuDeviceCanAccessPeer");
    return possible == 1;
}

}  // namespace

TEST_CASE("memory of another device that is not shared is refused", "[P1]") {
    if (!two_devices()) {
        SKIP("needs two devices that can reach each other");
    }
    const nothing_leaks guard;
    ag::memory_graph g(ag::device{0});
    const std::string allocated = place(__FILE__, __LINE__ + 1);
    auto far = g.add_alloc<int>(16, ag::named("far").on(ag::device{1}));
    auto near = g.add_alloc<int>(16);
    const ag::misuse unreachable = misuse_of([&] { g.add_memset(ag::after(far), far.span(), 1); });
    CHECK(std::string(unreachable.rule()) == "P1");
    CHECK_THAT(unreachable.what(), ContainsSubstring("far: int[16], 64 bytes is on device 1") && ContainsSubstring(allocated) &&
                                       ContainsSubstring("shared_with(device{0})"));
    CHECK(std::string(misuse_of([&] { g.add_memcpy(ag::after(near, far), near.span(), far.span()); }).rule()) == "P1");
    CHECK(std::string(misuse_of([&] { g.add_memset_2d(ag::after(far), ag::device_pitched<int>(far.data(), 4, 4), 1); }).rule()) ==
          "P1");
    auto set = g.add_memset(ag::after(near), near.span(), 1);
    g.add_free(ag::after(far), std::move(far));
    g.add_free(ag::after(set), std::move(near));
    CHECK(node_count(g.get()) == 5);
}

TEST_CASE("memory of another device that is shared is set, and each device counts its own", "[P1][P2][P3]") {
    if (!two_devices()) {
        SKIP("needs two devices that can reach each other");
    }
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::stream other(ag::device{1});
    ag::memory_graph g(ag::device{0});
    auto far = g.add_alloc<int>(16, ag::on(ag::device{1}).shared_with(ag::device{0}));
    auto near = g.add_alloc<int>(16);
    auto set = g.add_memset(ag::after(far), far.span(), 7);
    auto copy = g.add_memcpy(ag::after(set, near), near.span(), far.span());
    g.add_free(ag::after(copy), std::move(far));
    auto exec = std::move(g).instantiate(ag::outputs(std::move(near)));
    CHECK(exec.footprint().on(ag::device{0}) == exec.footprint().on(ag::device{1}));
    {
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<int>(16, 7));
    }
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    auto [result] = exec.launch(other);
    CHECK(contents(result) == std::vector<int>(16, 7));
}
