#pragma once

#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

/// The driver's picture of a graph, for Graphviz. The driver writes files alone: here into memory, on Linux.
/// @return nothing where there is no such memory. @throws driver_error
/// Driver: cuGraphDebugDotPrint
inline std::string graph_debug_dot(CUgraph graph, unsigned flags, source_line where) {
    std::string text;
#if defined(__linux__)
    struct memory_file {
        int descriptor = memfd_create("graph", MFD_CLOEXEC);
        memory_file() = default;
        memory_file(const memory_file&) = delete;
        memory_file& operator=(const memory_file&) = delete;
        ~memory_file() {
            if (descriptor >= 0) {
                close(descriptor);
            }
        }
    };
    const memory_file file;
    if (file.descriptor < 0) {
        return text;
    }
    const std::string path = "/proc/self/fd/" + std::to_string(file.descriptor);
    check(cuGraphDebugDotPrint(graph, path.c_str(), flags), "cuGraphDebugDotPrint", where, {{"graph", graph}});
    char part[4096];
    ssize_t size = 0;
    for (off_t at = 0; (size = pread(file.descriptor, part, sizeof part, at)) > 0; at += size) {
        text.append(part, static_cast<std::size_t>(size));
    }
#else
    static_cast<void>(graph);
    static_cast<void>(flags);
    static_cast<void>(where);
#endif
    return text;
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
