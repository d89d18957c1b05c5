#pragma once

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

/// Makes an executable. `parameters.result_out` and `hErrNode_out` say more when it fails. @throws driver_error
/// Driver: cuGraphInstantiateWithParams
inline CUgraphExec graph_instantiate_with_params(CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS& parameters, source_line where) {
    CUgraphExec exec = nullptr;
    const CUresult result = cuGraphInstantiateWithParams(&exec, graph, &parameters);
    check(result, "cuGraphInstantiateWithParams", where,
          {{"flags", parameters.flags},
           {"result", static_cast<std::uint64_t>(parameters.result_out)},
           {"node", parameters.hErrNode_out},
           {"graph", graph}});
    return exec;
}

/// Maps an executable's memory in the order of a stream (rule M1). @throws driver_error. Driver: cuGraphUpload
inline void graph_upload(CUgraphExec exec, CUstream stream, source_line where) {
    check(cuGraphUpload(exec, stream), "cuGraphUpload", where, {{"exec", exec}, {"stream", stream}});
}

/// Launches an executable on a stream; returns before it ran. @throws driver_error. Driver: cuGraphLaunch
inline void graph_launch(CUgraphExec exec, CUstream stream, source_line where) {
    check(cuGraphLaunch(exec, stream), "cuGraphLaunch", where, {{"exec", exec}, {"stream", stream}});
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
