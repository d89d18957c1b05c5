#pragma once

#include <allograph/graph/audit_options.hpp>
#include <allograph/graph/detail/audit_reader.hpp>
#include <allograph/model/audit_judge.hpp>

namespace allograph {
inline namespace v0 {

/// Reads any graph, whoever built it, and finds what it does wrong with its memory.
///
/// Rules O1 to O6, F1, F10, C8, C10, C16, D7 and X9; which memory a node touches follows from addresses, in the order of the
/// graph. The graph, its nodes and the device are left as they are. Not to be called while another thread changes the
/// graph, nor during a capture into it.
/// @return the report; what could not be read is in its `limits`
/// @throws driver_error when `raw` is no graph
/// Driver: cuGraphGetNodes, cuGraphGetEdges_v2, the cuGraph...NodeGetParams functions, cuFuncGetParamInfo
[[nodiscard]] inline audit_report audit(CUgraph raw, const audit_options& options = {}, const char* file = __builtin_FILE(),
                                        unsigned line = __builtin_LINE()) {
    return judge(detail::audit_reader<>(options, {file, line}).read(raw));
}

}  // namespace v0
}  // namespace allograph
