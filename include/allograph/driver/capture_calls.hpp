#pragma once

#include <span>

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

/// Captures a stream into a graph, which stays the caller's. @throws driver_error
/// @param deps  nodes of `graph` that the first captured node depends on
/// Driver: cuStreamBeginCaptureToGraph
inline void stream_begin_capture_to_graph(CUstream stream, CUgraph graph, std::span<const CUgraphNode> deps,
                                          CUstreamCaptureMode mode, source_line where) {
    check(cuStreamBeginCaptureToGraph(stream, graph, deps.empty() ? nullptr : deps.data(), nullptr, deps.size(), mode),
          "cuStreamBeginCaptureToGraph", where,
          {{"stream", stream}, {"graph", graph}, {"dependencies", deps.size()}, {"mode", static_cast<std::uint64_t>(mode)}});
}

/// Whether a stream captures, or captured until something broke it. @throws driver_error
/// Driver: cuStreamIsCapturing
inline CUstreamCaptureStatus stream_is_capturing(CUstream stream, source_line where) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    check(cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing", where, {{"stream", stream}});
    return status;
}

/// What a stream captures into. All but the status is set only while the capture is whole.
struct capture_info {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;  ///< none, active, or broken
    std::uint64_t id = 0;                                          ///< unique to this capture in the process
    CUgraph graph = nullptr;                                       ///< the capture's; not to be destroyed
    /// The nodes that the stream's next one depends on; the driver's own array, until the next call on the stream.
    std::span<const CUgraphNode> dependencies;
};

/// What a stream captures into. The edge data is asked for and dropped. @throws driver_error
/// Driver: cuStreamGetCaptureInfo_v3
inline capture_info stream_get_capture_info(CUstream stream, source_line where) {
    capture_info info;
    cuuint64_t id = 0;
    const CUgraphNode* nodes = nullptr;
    const CUgraphEdgeData* data = nullptr;  // asked for, or the driver refuses edges that carry any
    std::size_t count = 0;
    // The 13.0 headers know the third version by the base name alone, where streams are per thread.
#if CUDA_VERSION >= 13000
    check(cuStreamGetCaptureInfo(stream, &info.status, &id, &info.graph, &nodes, &data, &count), "cuStreamGetCaptureInfo_v3",
          where, {{"stream", stream}});
#else
    check(cuStreamGetCaptureInfo_v3(stream, &info.status, &id, &info.graph, &nodes, &data, &count), "cuStreamGetCaptureInfo_v3",
          where, {{"stream", stream}});
#endif
    info.id = id;
    if (info.status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        info.dependencies = {nodes, count};
    }
    return info;
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
