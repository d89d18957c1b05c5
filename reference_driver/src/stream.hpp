// Streams. Work runs when it is issued; what stays is the knowledge of what the program has waited for, because physical memory
// depends on it.
#pragma once

#include "driver.hpp"

namespace allograph_reference {

/// Forgets a stream: its capture is invalidated and its work counts as done.
void forget_stream(stream* gone);

/// Waits for all work of the context. A capture in progress forbids it.
CUresult synchronise_context(context& which);

/// What a call on a stream that is not captured may run on: the sticky error of its context, or success.
CUresult ready(const stream& on);

/// Counts one piece of work on the stream.
void issue(stream& on);

/// Events that a graph records or waits for.
void record_event(event& which, stream& on);
void wait_event(const event& which, stream& on);

}  // namespace allograph_reference
