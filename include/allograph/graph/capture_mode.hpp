#pragma once

#include <cuda.h>

namespace allograph {
inline namespace v0 {

/// Which calls break a capture while it is open: those that may touch work that was captured but did not run, such as
/// `cuMemAlloc`, `cuMemFree`, a synchronisation or the destruction of an executable.
enum class capture_mode : unsigned {
    guards_this_thread = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,  ///< such calls of the capturing thread
    guards_all_threads = CU_STREAM_CAPTURE_MODE_GLOBAL,        ///< of any thread
    unguarded = CU_STREAM_CAPTURE_MODE_RELAXED                 ///< of none; the capture may end on another thread
};

}  // namespace v0
}  // namespace allograph
