#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

namespace allograph {
inline namespace v0 {

/// The graphs that a conditional node runs, as the driver gave them when the node was added (`phGraph_out`).
struct audit_bodies {
    CUgraphNode conditional;      ///< the node
    std::vector<CUgraph> bodies;  ///< the graphs that it runs, which it owns
};

/// What an audit is told that the driver does not tell.
struct audit_options {
    std::string name;  ///< of the graph, for the report

    /// The graph is instantiated with `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`: no allocation lacks a fate (rule F10).
    bool auto_free_on_launch = false;
    /// Addresses of allocations that somebody outside of the graph frees: these do not lack a fate either.
    std::vector<std::uint64_t> outputs;

    /// For drivers before CUDA 13.2, which do not give the graphs inside of a conditional node. Those that are not known
    /// either way are named in `audit_report::limits`.
    std::vector<audit_bodies> bodies;

    /// Bytes that the driver maps at once: 32 MiB on the devices measured (rule M3).
    std::uint64_t chunk_bytes = std::uint64_t{32} << 20;
};

}  // namespace v0
}  // namespace allograph
