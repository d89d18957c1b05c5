// Stream capture: calls on a capturing stream become nodes.
#pragma once

#include "driver.hpp"

namespace allograph_reference {

struct executable;

/// A call that the mode of a running capture forbids: invalidates the captures concerned and says whether there were any [C13].
bool invalidate_unsafe_captures();

/// Adds a node behind what the stream has captured so far. A failed add invalidates nothing: the caller hears of it.
CUresult capture_node(stream& on, node_data data, node** made = nullptr);

CUresult capture_event_record(event& which, stream& on, bool external);
CUresult capture_event_wait(event& which, stream& on, bool external);
CUresult capture_graph_launch(const executable& which, stream& on);

/// Issues a piece of work: as a node where the stream is captured, at once where it is not.
CUresult issue_or_capture(CUstream on, node_data data);

}  // namespace allograph_reference
