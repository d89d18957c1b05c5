#pragma once

#include <vector>

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

/// The graphs inside of a conditional node, which keeps them. Drivers before CUDA 13.2 do not tell; the function is
/// looked up at run time, so that headers of any version will do.
/// @return false where the driver does not tell. @throws driver_error
/// Driver: cuGraphNodeGetParams
inline bool conditional_node_get_graphs(CUgraphNode node, std::vector<CUgraph>& graphs, source_line where) {
    using get_params = CUresult(CUDAAPI*)(CUgraphNode, CUgraphNodeParams*);
    static const get_params function = [] {
        void* found = nullptr;
        CUdriverProcAddressQueryResult status{};
        const CUresult result = cuGetProcAddress_v2("cuGraphNodeGetParams", &found, 13020, CU_GET_PROC_ADDRESS_DEFAULT, &status);
        return result == CUDA_SUCCESS ? reinterpret_cast<get_params>(found) : nullptr;
    }();
    if (function == nullptr) {
        return false;
    }
    CUgraphNodeParams parameters{};
    check(function(node, &parameters), "cuGraphNodeGetParams", where, {{"node", node}});
    graphs.assign(parameters.conditional.phGraph_out, parameters.conditional.phGraph_out + parameters.conditional.size);
    return true;
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
