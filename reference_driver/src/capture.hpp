// Stream capture: calls on a capturing stream become nodes.
#pragma once

#include "driver.hpp"

namespace allograph_reference {

/// A call that is unsafe during a capture: invalidates the captures that forbid it to this thread and says whether there were
/// any. A capture forbids it in the mode that it began in: global to every thread, thread-local to the thread that began it,
/// relaxed to none. A thread whose own mode is relaxed may do anything [C13].
bool invalidate_unsafe_captures();

/// A call on a stream that its capture cannot hold, whatever the modes: invalidates it. False where the stream is not captured.
bool invalidate_capture_of(stream& on);

/// The stream is about to go: a capture that began on it ends and its graph is destroyed, one that it joined is invalidated.
void abandon_capture(stream& gone);

/// The graph is about to go: what is captured into it has no place any more.
void abandon_captures_into(const graph& gone);

/// Adds a node behind what the stream has captured so far. A failed add invalidates nothing: the caller hears of it.
CUresult capture_node(stream& on, node_data data, node** made = nullptr);

CUresult capture_event_record(event& which, stream& on, bool external);
CUresult capture_event_wait(event& which, stream& on, bool external);

/// Issues a piece of work: as a node where the stream is captured, at once where it is not.
CUresult issue_or_capture(CUstream on, node_data data);

}  // namespace allograph_reference
