#pragma once

#include <allograph/driver/driver_error.hpp>
#include <allograph/model/node.hpp>

namespace allograph {
inline namespace v0 {

/// An executable could not take another graph over (rule G9). It is as it was.
class update_error : public driver_error {
public:
    /// @param why        what the driver says
    /// @param prevented  the node of the other graph, or a default node
    update_error(CUresult result, CUgraphExecUpdateResult why, const std::string& text, node prevented, source_line where)
        : driver_error(result, "cuGraphExecUpdate_v2", text, where), why_(why), prevented_(prevented) {}

    /// What the driver says, as in CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED.
    [[nodiscard]] CUgraphExecUpdateResult why() const noexcept { return why_; }
    /// The node that prevented it, of the graph that was passed; a default node where the driver names none.
    [[nodiscard]] node prevented() const noexcept { return prevented_; }

private:
    CUgraphExecUpdateResult why_;
    node prevented_;
};

}  // namespace v0
}  // namespace allograph
