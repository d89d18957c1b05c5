// What a process leaves behind, written when it ends.
#pragma once

namespace allograph_reference {

/// With ALLOGRAPH_REFERENCE_SUMMARY=FILE, writes at the end of the process what is still alive and how often each function was
/// called, a line each: `alive graphs 0`, `calls cuGraphLaunch 3`, and `pending failures 0`, those that were asked for and did
/// not come to pass.
void summarise_at_exit();

}  // namespace allograph_reference
