// Allocation nodes: addresses, options, sizes and devices.

#include <array>
#include <limits>
#include <list>

#include "fixture.hpp"

namespace {

struct vertex {
    double position[3];
    int id;
};

CUDA_MEM_ALLOC_NODE_PARAMS parameters_of(CUgraphNode node) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    must(cuGraphMemAllocNodeGetParams(node, &parameters), "cuGraphMemAllocNodeGetParams");
    return parameters;
}

std::size_t total_bytes() {
    std::size_t bytes = 0;
    must(cuDeviceTotalMem_v2(&bytes, 0), "cuDeviceTotalMem_v2");
    return bytes;
}

template <class Graph, class T, ag::checking Checks>
void drop(Graph& g, ag::alloc_node<T, Checks>&& token) {
    const ag::node made = token;
    g.add_free(ag::after(made), std::move(token));
}

}  // namespace

TEMPLATE_TEST_CASE("an allocation has its address at once, and its type", "[A1][A14][A8]", ag::memory_graph,
                   ag::unchecked_memory_graph) {
    const nothing_leaks guard;
    TestType g;
    auto bytes = g.template add_alloc<std::byte>(1);
    auto doubles = g.template add_alloc<double>(ag::after(bytes), 1000);
    auto vertices = g.template add_alloc<vertex>(7, ag::named("vertices"));
    CHECK(bytes.data().address() != 0);
    CHECK(bytes.data().address() != doubles.data().address());
    CHECK(doubles.size() == 1000);
    CHECK(doubles.size_bytes() == 8000);
    CHECK(doubles.span().size() == 1000);
    CHECK(doubles.data().get() == reinterpret_cast<double*>(doubles.data().address()));
    CHECK(vertices.data().address() % 512 == 0);
    CHECK(dependencies_of(doubles.get()) == std::vector{bytes.get()});
    CHECK_FALSE(doubles.spent());

    const auto parameters = parameters_of(vertices.get());
    CHECK(parameters.bytesize == 7 * sizeof(vertex));
    CHECK(parameters.dptr == vertices.data().address());
    CHECK(parameters.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    CHECK(parameters.poolProps.handleTypes == CU_MEM_HANDLE_TYPE_NONE);
    CHECK(parameters.poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    CHECK(parameters.poolProps.location.id == 0);
    CHECK(parameters.accessDescCount == 0);
    drop(g, std::move(bytes));
    drop(g, std::move(doubles));
    drop(g, std::move(vertices));
}

TEST_CASE("an allocation ordered after a free takes the freed address", "[A12]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto first = g.add_alloc<float>(1000);
    const auto address = first.data().address();
    auto beside = g.add_alloc<float>(1000);
    const ag::node made = first;
    const auto freed = g.add_free(ag::after(made), std::move(first));
    auto ordered = g.add_alloc<float>(ag::after(freed), 1000);
    CHECK(beside.data().address() != address);
    CHECK(ordered.data().address() == address);
    drop(g, std::move(beside));
    drop(g, std::move(ordered));
}

TEST_CASE("who may reach an allocation is read back from its node", "[P4]") {
    const nothing_leaks guard;
    const auto others_of = [](const auto& token) {
        const CUDA_MEM_ALLOC_NODE_PARAMS parameters = parameters_of(token.get());
        std::vector<int> ordinals;
        for (std::size_t i = 0; i < parameters.accessDescCount; ++i) {
            const CUmemAccessDesc& each = parameters.accessDescs[i];
            CHECK(each.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
            CHECK(each.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
            ordinals.push_back(each.location.id);
        }
        return ordinals;
    };
    ag::memory_graph g{ag::device{0}};
    auto own = g.add_alloc<int>(10);
    auto shared = g.add_alloc<int>(10, ag::alloc_options{}.shared_with(ag::device{0}));
    CHECK(others_of(own).empty());
    CHECK(others_of(shared) == std::vector<int>{0});
    int devices = 0;
    int reaches = 0;
    must(cuDeviceGetCount(&devices), "cuDeviceGetCount");
    if (devices > 1) {
        must(cuDeviceCanAccessPeer(&reaches, 0, 1), "cuDeviceCanAccessPeer");
    }
    if (reaches == 1) {
        auto far = g.add_alloc<int>(10, ag::on(ag::device{1}).shared_with(std::array{ag::device{0}, ag::device{1}}));
        CHECK(parameters_of(far.get()).poolProps.location.id == 1);
        CHECK(others_of(far) == std::vector<int>{0, 1});
        drop(g, std::move(far));
    }
    drop(g, std::move(own));
    drop(g, std::move(shared));
}

TEST_CASE("the options of an allocation reach the driver", "[A5][A9]") {
    const nothing_leaks guard;
    ag::memory_graph g{ag::device{0}};
    auto here = g.add_alloc<int>(10, ag::on(ag::device{0}).named("here"));
    CHECK(parameters_of(here.get()).poolProps.location.id == 0);

    auto shared = g.add_alloc<int>(ag::after(here), 10, ag::named("shared").shared_with(ag::device{0}));
    auto with_list = g.add_alloc<int>(10, ag::alloc_options{}.shared_with(std::list{ag::device{0}, ag::device{0}}));
    auto with_array = g.add_alloc<int>(10, ag::named("array").on(ag::device{0}).shared_with(std::array{ag::device{0}}));
    auto with_none = g.add_alloc<int>(10, ag::named("none").shared_with(std::vector<ag::device>{}));
    CHECK(parameters_of(shared.get()).accessDescCount == 1);
    CHECK(parameters_of(with_list.get()).accessDescCount == 1);
    CHECK(parameters_of(with_array.get()).accessDescCount == 1);
    CHECK(parameters_of(with_none.get()).accessDescCount == 0);
    const auto set = g.add_memset(ag::after(shared), shared.span(), 5);
    std::vector<int> host(10);
    const auto out = g.add_memcpy(ag::after(set), host, shared.span());
    g.add_free(ag::after(out), std::move(shared));
    drop(g, std::move(here));
    drop(g, std::move(with_list));
    drop(g, std::move(with_array));
    drop(g, std::move(with_none));
    const ag::stream stream;
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    stream.synchronize();
    CHECK(host == std::vector<int>(10, 5));
}

TEMPLATE_TEST_CASE("sizes that no device has", "[A2][A3]", ag::memory_graph, ag::unchecked_memory_graph) {
    const nothing_leaks guard;
    TestType g;
    const std::size_t calls = allograph_reference_calls("cuGraphAddMemAllocNode");
    const auto refused = [&](const char* rule, auto&& add) {
        std::string line;
        const ag::misuse mistake = misuse_of(add);
        CHECK(mistake.rule() == std::string(rule));
        CHECK_THAT(mistake.what(), ContainsSubstring("allocations.cpp:"));
        return std::string(mistake.what());
    };
    refused("A2", [&] { (void)g.template add_alloc<float>(0); });
    refused("A2", [&] { (void)g.template add_alloc<float>(ag::after(g.add_empty()), 0); });
    const std::size_t total = total_bytes();
    const std::string text = refused("A3", [&] { (void)g.template add_alloc<std::byte>(total + 1); });
    CHECK_THAT(text, ContainsSubstring(std::to_string(total + 1) + " bytes"));
    CHECK_THAT(text, ContainsSubstring(std::to_string(total) + " bytes"));
    refused("A3", [&] { (void)g.template add_alloc<double>(std::size_t{1} << 47); });  // 1 PiB
    refused("A3", [&] { (void)g.template add_alloc<std::byte>(std::numeric_limits<std::size_t>::max()); });
    CHECK_THAT(refused("A3", [&] { (void)g.template add_alloc<double>(std::numeric_limits<std::size_t>::max() / 4); }),
               ContainsSubstring("overflow"));
    refused("A3", [&] { (void)g.template add_alloc<double>(std::numeric_limits<std::size_t>::max() / 8 + 1); });
    CHECK(allograph_reference_calls("cuGraphAddMemAllocNode") == calls);
    CHECK(node_count(g.get()) == 1);
}

TEST_CASE("devices that are not there", "[A6][A9]") {
    const nothing_leaks guard;
    const ag::device none{63};
    ag::memory_graph g;
    const auto refused = [](const char* rule, auto&& action) {
        const ag::misuse mistake = misuse_of(action);
        CHECK(mistake.rule() == std::string(rule));
        return std::string(mistake.what());
    };
    const std::string text = refused("A6", [&] { const ag::memory_graph elsewhere{ag::device{77}}; });
    CHECK_THAT(text, ContainsSubstring("device 77") && ContainsSubstring("allocations.cpp:"));
    refused("A6", [&] { const ag::graph elsewhere{ag::device{-1}}; });
    refused("A6", [&] { const ag::stream elsewhere{none}; });
    refused("A6", [&] { const ag::graph_memory elsewhere{none}; });
    refused("A6", [&] { (void)g.add_alloc<int>(1, ag::on(none)); });
    refused("A6", [&] { (void)g.add_alloc<int>(1, ag::on(ag::device{-1})); });
    CHECK_THAT(refused("A9", [&] { (void)g.add_alloc<int>(1, ag::named("x").shared_with(none)); }),
               ContainsSubstring("device 63"));
    refused("A9", [&] { (void)ag::named("x").shared_with(ag::device{64}); });
    refused("A9", [&] { (void)ag::named("x").shared_with(std::vector{ag::device{0}, ag::device{-1}}); });
    CHECK(node_count(g.get()) == 0);
}

TEST_CASE("what the model would refuse, the driver refuses too", "[A2][A3]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    parameters.bytesize = std::size_t{1} << 50;
    const ag::driver_error error =
        driver_error_of([&] { ag::driver::graph_add_mem_alloc_node(g.get(), {}, parameters, {__FILE__, __LINE__}); });
    CHECK(error.result() == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(error.call() == std::string("cuGraphAddMemAllocNode"));
    CHECK_THAT(error.what(), ContainsSubstring("bytes = 1125899906842624"));
    CHECK_THAT(error.what(), ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY") && ContainsSubstring("allocations.cpp:"));
}
