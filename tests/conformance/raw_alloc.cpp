// Group A: allocation nodes.
#include "raw.hpp"

using namespace raw;

TEST_CASE("the address comes back when the node is added and stays", "[raw][A1]") {
    graph g;
    const added a = add_alloc(g, 1024);
    REQUIRE(a.result == ok);
    CHECK(a.address != 0);
    const added b = add_alloc(g, 1, {a.node});
    REQUIRE(b.result == ok);
    CHECK(b.address % 512 == 0);
    CHECK(b.address != a.address);
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(0);
    REQUIRE(cuGraphMemAllocNodeGetParams(a.node, &params) == ok);
    CHECK(params.bytesize == 1024);
    CHECK(params.dptr == a.address);
}

TEST_CASE("unordered allocations are packed behind each other at 512 bytes", "[raw][A1]") {
    graph g;
    const added a = add_alloc(g, 1024);
    const added b = add_alloc(g, 1, {a.node});
    const added c = add_alloc(g, 1, {b.node});
    const added d = add_alloc(g, 3 * mebibyte);
    const added e = add_alloc(g, 3 * mebibyte);
    CHECK(b.address == a.address + 0x400);
    CHECK(c.address == b.address + 0x200);
    CHECK(d.address == c.address + 0x200);
    CHECK(e.address == d.address + 3 * mebibyte);
}

TEST_CASE("64 allocations of 1000 bytes side by side span 64,512 bytes", "[raw][A1]") {
    graph g;
    CUdeviceptr low = ~CUdeviceptr{0};
    CUdeviceptr high = 0;
    for (int index = 0; index < 64; ++index) {
        const added a = add_alloc(g, 1000);
        low = a.address < low ? a.address : low;
        high = a.address > high ? a.address : high;
        REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    }
    CHECK(high - low == 64512);
}

TEST_CASE("size 0 is refused", "[raw][A2]") {
    graph g;
    CHECK(add_alloc(g, 0).result == invalid);
}

TEST_CASE("a size beyond the device's memory is refused when added", "[raw][A3]") {
    graph g;
    std::size_t total = 0;
    REQUIRE(cuDeviceTotalMem(&total, here().device[0]) == ok);
    CHECK(add_alloc(g, 3 * total).result == out_of_memory);
    CHECK(add_alloc(g, std::size_t{1} << 50).result == out_of_memory);
    CHECK(add_alloc(g, ~std::size_t{0}).result == out_of_memory);
}

TEST_CASE("the type of an allocation is pinned or managed", "[raw][A4]") {
    graph g;
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    CHECK(add_alloc(g, params).result == invalid);
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
    CHECK(add_alloc(g, params).result == ok);
}

TEST_CASE("the location is a device", "[raw][A5]") {
    graph g;
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_HOST;
    CHECK(add_alloc(g, params).result == unsupported);
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
    params.poolProps.location.id = 0;
    CHECK(add_alloc(g, params).result == unsupported);
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    CHECK(add_alloc(g, params).result == invalid);
}

TEST_CASE("the device exists", "[raw][A6]") {
    graph g;
    CHECK(add_alloc(g, alloc_params(64, 77)).result == invalid);
}

TEST_CASE("device ordinals at the ends of int are refused", "[raw][A6]") {
    graph g;
    CHECK(add_alloc(g, alloc_params(64, -1)).result == invalid);
    CHECK(add_alloc(g, alloc_params(64, 2147483647)).result == invalid);
    CHECK(add_alloc(g, alloc_params(64, -2147483647 - 1)).result == invalid);
}

TEST_CASE("no handle types for export", "[raw][A7]") {
    graph g;
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
    params.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CHECK(add_alloc(g, params).result == unsupported);
}

TEST_CASE("reserved bytes are zero", "[raw][A8]") {
    graph g;
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
    params.poolProps.reserved[3] = 1;
    CHECK(add_alloc(g, params).result == invalid);
}

TEST_CASE("a limit of the pool and its usage are not looked at", "[raw][A8]") {
    graph g;
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(2 * mebibyte);
    params.poolProps.maxSize = mebibyte;
    CHECK(add_alloc(g, params).result == ok);
    params = alloc_params(64);
    params.poolProps.usage = 1;
    CHECK(add_alloc(g, params).result == ok);
}

TEST_CASE("access descriptors", "[raw][A9]") {
    graph g;
    CUmemAccessDesc access[17];
    std::memset(access, 0, sizeof access);
    for (CUmemAccessDesc& each : access) {
        each.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        each.location.id = here().device[0];
        each.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
    params.accessDescs = access;
    params.accessDescCount = 1;
    CHECK(add_alloc(g, params).result == ok);

    access[0].flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    CHECK(add_alloc(g, params).result == unsupported);

    access[0].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    access[0].location.id = 99;
    CHECK(add_alloc(g, params).result == CUDA_ERROR_INVALID_DEVICE);

    access[0].location.id = here().device[0];
    params.accessDescCount = static_cast<std::size_t>(here().devices) + 1;  // more than there are devices
    CHECK(add_alloc(g, params).result == invalid);
    // A null list with a count is not tried: the driver crashes.
}

TEST_CASE("a null graph or node pointer is refused", "[raw][A10]") {
    graph g;
    CUgraphNode made = nullptr;
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
    CHECK(cuGraphAddMemAllocNode(nullptr, g, nullptr, 0, &params) == invalid);
    CHECK(cuGraphAddMemAllocNode(&made, nullptr, nullptr, 0, &params) == invalid);
    CHECK(cuGraphAddMemFreeNode(nullptr, g, nullptr, 0, 0x1000) == invalid);
    CHECK(cuGraphAddMemFreeNode(&made, nullptr, nullptr, 0, 0x1000) == invalid);
}

TEST_CASE("null parameters are refused", "[raw][A10]") {
    graph g;
    CUgraphNode made = nullptr;
    CHECK(cuGraphAddMemAllocNode(&made, g, nullptr, 0, nullptr) == invalid);
    CHECK(cuGraphAddMemsetNode(&made, g, nullptr, 0, nullptr, here().context[0]) == invalid);
    CHECK(cuGraphAddNode(&made, g, nullptr, nullptr, 0, nullptr) == invalid);
}

TEST_CASE("the device supports memory pools", "[raw][A11]") {
    int supported = 0;
    REQUIRE(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, here().device[0]) == ok);
    CHECK(supported == 1);
}

TEST_CASE("an allocation ordered after a free of its size takes the address", "[raw][A12]") {
    graph g;
    const added a = add_alloc(g, 4096);
    const added f = add_free(g, a.address, {a.node});
    CHECK(add_alloc(g, 4096, {f.node}).address == a.address);
    const added unordered = add_alloc(g, 4096);
    CHECK(unordered.address == a.address + 4096);
    CHECK(add_alloc(g, 2048, {f.node}).address == a.address + 8192);
}

TEST_CASE("order through other nodes counts, an edge added later does not", "[raw][A12]") {
    graph g;
    const added x = add_empty(g);
    const added a = add_alloc(g, 64 * mebibyte, {x.node});
    const added f = add_free(g, a.address, {a.node});
    const added y = add_empty(g, {f.node});
    const added b = add_alloc(g, 64 * mebibyte, {y.node});
    CHECK(b.address == a.address);
    const added c = add_alloc(g, 64 * mebibyte, {x.node});
    REQUIRE(cuGraphAddDependencies_v2(g, &f.node, &c.node, nullptr, 1) == ok);
    CHECK(c.address != a.address);
}

TEST_CASE("a freed range is split, and parts that no edge orders are not joined again", "[raw][A12]") {
    graph g;
    const added a = add_alloc(g, 96 * mebibyte);
    const added f = add_free(g, a.address, {a.node});
    const added b = add_alloc(g, 48 * mebibyte, {f.node});
    const added c = add_alloc(g, 48 * mebibyte, {f.node});
    CHECK(b.address == a.address);
    CHECK(c.address == a.address + 48 * mebibyte);
    const added fb = add_free(g, b.address, {b.node});
    const added fc = add_free(g, c.address, {c.node});
    const added d = add_alloc(g, 96 * mebibyte, {fb.node, fc.node});
    CHECK(d.address == a.address + 96 * mebibyte);
}

TEST_CASE("parts whose frees are ordered are joined again", "[raw][A12]") {
    graph g;
    const added a = add_alloc(g, 96 * mebibyte);
    const added f = add_free(g, a.address, {a.node});
    const added b = add_alloc(g, 48 * mebibyte, {f.node});
    const added c = add_alloc(g, 48 * mebibyte, {b.node});
    const added fb = add_free(g, b.address, {c.node});
    const added fc = add_free(g, c.address, {fb.node});
    CHECK(add_alloc(g, 96 * mebibyte, {fc.node}).address == a.address);
}

TEST_CASE("nothing is known of an address before a launch", "[raw][A13]") {
    graph g;
    const added a = add_alloc(g, 3 * mebibyte);
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    CHECK(cuMemGetAddressRange(&base, &bytes, a.address + 100) == CUDA_ERROR_NOT_FOUND);
    CUmemorytype type{};
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a.address) == invalid);
    int ordinal = -1;
    CHECK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, a.address) == invalid);
    int mapped = -1;
    CHECK(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, a.address) == invalid);
    unsigned long long id = 0;
    CHECK(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, a.address) == invalid);
}

TEST_CASE("parameters are read back from the right type of node only", "[raw][A15]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    const added m = add_memset(g, a.address, 4096, {a.node});
    const added f = add_free(g, a.address, {m.node});
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(0);
    CUdeviceptr address = 0;
    CUDA_MEMSET_NODE_PARAMS set;
    CHECK(cuGraphMemAllocNodeGetParams(a.node, &params) == ok);
    CHECK(params.bytesize == mebibyte);
    CHECK(cuGraphMemAllocNodeGetParams(m.node, &params) == invalid);
    CHECK(cuGraphMemFreeNodeGetParams(f.node, &address) == ok);
    CHECK(address == a.address);
    CHECK(cuGraphMemFreeNodeGetParams(a.node, &address) == invalid);
    CHECK(cuGraphMemsetNodeGetParams(a.node, &set) == invalid);
    CHECK(cuGraphMemAllocNodeGetParams(nullptr, &params) == invalid);
    CHECK(cuGraphMemFreeNodeGetParams(nullptr, &address) == invalid);
}
