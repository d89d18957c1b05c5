#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <allograph/driver/query_calls.hpp>
#include <allograph/model/memory_use.hpp>
#include <allograph/model/node.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Device memory that a node touches, from its first byte to its last. Of memory behind a kernel's parameter only
/// one address is known: `bytes` is 1, and it may be written, since nothing says that it is not.
struct touched_memory {
    std::uint64_t address;
    std::uint64_t bytes;
    access how;
    bool exact;         ///< the size and the direction are known
    bool gaps = false;  ///< rows that lie apart: not every byte in between is touched
};

/// One node of any graph, as the driver tells it.
struct node_reading {
    CUgraphNode handle = nullptr;
    node_kind kind = node_kind::empty;
    std::vector<CUgraphNode> dependencies;
    const char* name = nullptr;  ///< of a kernel: its module's own string, mangled; else null
    std::uint64_t address = 0;   ///< of what the node allocates or frees
    std::uint64_t bytes = 0;     ///< of an allocation, as it was asked for
    int device = 0;              ///< of an allocation, its ordinal
    std::vector<touched_memory> memory;
    /// False where the driver does not say what the node touches: an argument of a kernel with headers before 12.4, a
    /// node in a form that it has no answer for. Nothing is known then, which is not the same as nothing being touched.
    bool complete = true;
    std::string trouble;  ///< what the driver answered, where that is why
};

/// What a reader does about the nodes inside of a child graph.
enum class inner_nodes : std::uint8_t {
    count_for_their_holder,  ///< what they touch is read with the child node (rule C9)
    are_read_alone
};

/// Reads nodes of any `CUgraph`, whoever built it, one after the other into one reading, whose memory it keeps.
///
/// Memory behind other memory is out of reach, and so is what host functions and conditional bodies touch. Changes
/// nothing.
///
/// A template so that programs that read nothing back do not pay for compiling it: write `node_reader<>`.
template <class = void>
class node_reader {
public:
    explicit node_reader(source_line where, inner_nodes inside = inner_nodes::count_for_their_holder) noexcept
        : where_(where), inside_(inside) {}

    /// All nodes of a graph, in the driver's order. Driver: cuGraphGetNodes
    static std::vector<CUgraphNode> nodes_of(CUgraph graph, source_line where) {
        std::vector<CUgraphNode> nodes(driver::graph_get_nodes(graph, {}, where));
        if (!nodes.empty()) {
            nodes.resize(driver::graph_get_nodes(graph, nodes, where));
        }
        return nodes;
    }

    /// What comes directly before a node; valid until the next call.
    /// Driver: cuGraphNodeGetDependencies_v2
    const std::vector<CUgraphNode>& dependencies_of(CUgraphNode node) {
        std::vector<CUgraphNode>& list = reading_.dependencies;
        list.resize(driver::graph_node_get_dependencies(node, {}, {}, where_));
        if (!list.empty()) {
            edges_.resize(list.size());
            list.resize(driver::graph_node_get_dependencies(node, list, edges_, where_));
        }
        return list;
    }
    /// What is said of the edges to them, in their order; only as many as there are dependencies count.
    [[nodiscard]] const std::vector<CUgraphEdgeData>& edges_of_dependencies() const noexcept { return edges_; }

    /// A node and its dependencies; valid until the next call. @throws driver_error for what is no node
    const node_reading& read(CUgraphNode node) {
        dependencies_of(node);
        return read_without_dependencies(node);
    }

    /// The same, but `dependencies` are those of the last call.
    const node_reading& read_without_dependencies(CUgraphNode node) {
        reading_.handle = node;
        reading_.kind = kind_of(driver::graph_node_get_type(node, where_));
        reading_.name = nullptr;
        reading_.address = reading_.bytes = 0;
        reading_.device = 0;
        reading_.memory.clear();
        reading_.complete = true;
        reading_.trouble.clear();
        read_parameters(node, reading_.kind, true);
        return reading_;
    }

    static node_kind kind_of(CUgraphNodeType type) noexcept {
        switch (type) {
        case CU_GRAPH_NODE_TYPE_KERNEL:
            return node_kind::kernel;
        case CU_GRAPH_NODE_TYPE_MEMCPY:
            return node_kind::memcpy;
        case CU_GRAPH_NODE_TYPE_MEMSET:
            return node_kind::memset;
        case CU_GRAPH_NODE_TYPE_HOST:
            return node_kind::host;
        case CU_GRAPH_NODE_TYPE_GRAPH:
            return node_kind::child;
        case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
            return node_kind::event_wait;
        case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
            return node_kind::event_record;
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
            return node_kind::semaphore_signal;
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
            return node_kind::semaphore_wait;
        case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
            return node_kind::alloc;
        case CU_GRAPH_NODE_TYPE_MEM_FREE:
            return node_kind::free;
        case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
            return node_kind::batch_mem_op;
        case CU_GRAPH_NODE_TYPE_CONDITIONAL:
            return node_kind::conditional;
        default:
            return node_kind::empty;
        }
    }

private:
    /// A node in a form that the driver does not describe, a copy through arrays for one, is left incomplete. A driver that
    /// fails is another matter.
    void read_parameters(CUgraphNode node, node_kind kind, bool outermost) {
        try {
            switch (kind) {
            case node_kind::alloc:
                if (outermost) {
                    read_alloc(driver::graph_mem_alloc_node_get_params(node, where_));
                }
                break;
            case node_kind::free:
                if (outermost) {
                    reading_.address = driver::graph_mem_free_node_get_params(node, where_);
                }
                break;
            case node_kind::memset:
                read_memset(driver::graph_memset_node_get_params(node, where_));
                break;
            case node_kind::memcpy:
                read_memcpy(driver::graph_memcpy_node_get_params(node, where_));
                break;
            case node_kind::kernel:
                read_kernel(driver::graph_kernel_node_get_params(node, where_), outermost);
                break;
            case node_kind::batch_mem_op:
                read_batch(driver::graph_batch_mem_op_node_get_params(node, where_));
                break;
            case node_kind::child:
                if (inside_ == inner_nodes::count_for_their_holder) {
                    read_child(driver::graph_child_graph_node_get_graph(node, where_));
                }
                break;
            default:
                break;
            }
        } catch (const driver_error& error) {
            // An audit says what it could not read; a graph that adopts nodes must know what it takes in.
            const bool no_form = error.result() == CUDA_ERROR_INVALID_VALUE || error.result() == CUDA_ERROR_NOT_SUPPORTED;
            const bool memory_node = kind == node_kind::alloc || kind == node_kind::free;
            if (inside_ == inner_nodes::count_for_their_holder && (memory_node || !no_form)) {
                throw;
            }
            reading_.complete = false;
            reading_.trouble = error.what();
        }
    }

    void read_alloc(const CUDA_MEM_ALLOC_NODE_PARAMS& parameters) {
        reading_.address = parameters.dptr;
        reading_.bytes = parameters.bytesize;
        reading_.device = parameters.poolProps.location.id;
    }

    void read_memset(const CUDA_MEMSET_NODE_PARAMS& parameters) {
        const std::uint64_t width = std::uint64_t{parameters.width} * parameters.elementSize;
        touch(parameters.dst, box_bytes(width, parameters.height, 1, parameters.pitch, 0), access::write,
              parameters.height > 1 && parameters.pitch != width);
    }

    void read_memcpy(const CUDA_MEMCPY3D& c) {
        if (is_address(c.srcMemoryType)) {
            touch(c.srcDevice + box_offset(c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch, c.srcHeight),
                  box_bytes(c.WidthInBytes, c.Height, c.Depth, c.srcPitch, c.srcHeight), access::read,
                  has_gaps(c, c.srcPitch, c.srcHeight));
        }
        if (is_address(c.dstMemoryType)) {
            touch(c.dstDevice + box_offset(c.dstXInBytes, c.dstY, c.dstZ, c.dstPitch, c.dstHeight),
                  box_bytes(c.WidthInBytes, c.Height, c.Depth, c.dstPitch, c.dstHeight), access::write,
                  has_gaps(c, c.dstPitch, c.dstHeight));
        }
    }
    static bool has_gaps(const CUDA_MEMCPY3D& c, std::uint64_t pitch, std::uint64_t height) noexcept {
        return (c.Height > 1 && pitch != c.WidthInBytes) || (c.Depth > 1 && (pitch != c.WidthInBytes || height != c.Height));
    }
    static bool is_address(CUmemorytype type) noexcept { return type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED; }
    static std::uint64_t box_offset(std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t pitch,
                                    std::uint64_t height) noexcept {
        return x + pitch * (y + height * z);
    }
    /// From the first byte of a box of rows to its last.
    static std::uint64_t box_bytes(std::uint64_t width, std::uint64_t rows, std::uint64_t depth, std::uint64_t pitch,
                                   std::uint64_t height) noexcept {
        return width == 0 || rows == 0 || depth == 0 ? 0 : width + pitch * (rows - 1 + height * (depth - 1));
    }
    void touch(std::uint64_t address, std::uint64_t bytes, access how, bool gaps) {
        if (bytes != 0) {
            reading_.memory.push_back({address, bytes, how, true, gaps});
        }
    }

    /// Values in memory that a stream waits for or writes. Barriers and flushes touch no address of their own.
    void read_batch(const CUDA_BATCH_MEM_OP_NODE_PARAMS& parameters) {
        for (unsigned i = 0; i < parameters.count; ++i) {
            const CUstreamBatchMemOpParams& op = parameters.paramArray[i];
            switch (op.operation) {
            case CU_STREAM_MEM_OP_WAIT_VALUE_32:
                touch(op.waitValue.address, 4, access::read, false);
                break;
            case CU_STREAM_MEM_OP_WAIT_VALUE_64:
                touch(op.waitValue.address, 8, access::read, false);
                break;
            case CU_STREAM_MEM_OP_WRITE_VALUE_32:
                touch(op.writeValue.address, 4, access::write, false);
                break;
            case CU_STREAM_MEM_OP_WRITE_VALUE_64:
                touch(op.writeValue.address, 8, access::write, false);
                break;
            default:
                break;
            }
        }
    }

    /// What the driver says of a function, asked once.
    struct known_function {
        std::uintptr_t handle;
        const char* name;
        std::size_t first;  // of its parameters, among all
        std::size_t count;
    };

    void read_kernel(const CUDA_KERNEL_NODE_PARAMS_v2& parameters, bool outermost) {
        const known_function& function = look_up(parameters);
        if (outermost) {
            reading_.name = function.name;
        }
        if constexpr (driver::knows_parameter_layouts) {
            read_arguments(parameters, std::span<const driver::parameter_place>(places_).subspan(function.first, function.count));
        } else {
            reading_.complete = false;
        }
    }
    const known_function& look_up(const CUDA_KERNEL_NODE_PARAMS_v2& parameters) {
        const auto handle = parameters.func != nullptr ? reinterpret_cast<std::uintptr_t>(parameters.func)
                                                       : reinterpret_cast<std::uintptr_t>(parameters.kern);
        const auto at = std::lower_bound(functions_.begin(), functions_.end(), handle,
                                         [](const known_function& f, std::uintptr_t h) { return f.handle < h; });
        if (at != functions_.end() && at->handle == handle) {
            return *at;
        }
        known_function made{handle, nullptr, places_.size(), 0};
        made.name = parameters.func != nullptr ? driver::func_get_name(parameters.func, where_)
                                               : driver::kernel_get_name(parameters.kern, where_);
        if constexpr (driver::knows_parameter_layouts) {
            add_places(parameters);
        }
        made.count = places_.size() - made.first;
        return *functions_.insert(at, made);
    }
    template <class Parameters>
    void add_places(const Parameters& parameters) {
        driver::parameter_place place{};
        for (std::size_t i = 0; place_of(parameters, i, place); ++i) {
            places_.push_back(place);
        }
    }
    /// Every aligned 8 bytes of every argument may be an address. Arguments lie each on their own, or packed as the
    /// device sees them.
    void read_arguments(const CUDA_KERNEL_NODE_PARAMS_v2& parameters, std::span<const driver::parameter_place> places) {
        const char* const packed = parameters.kernelParams == nullptr ? packed_arguments(parameters.extra) : nullptr;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const driver::parameter_place place = places[i];
            const char* const value = packed != nullptr                    ? packed + place.offset
                                      : parameters.kernelParams != nullptr ? static_cast<const char*>(parameters.kernelParams[i])
                                                                           : nullptr;
            if (value == nullptr) {
                reading_.complete = false;
                return;
            }
            for (std::size_t at = (8 - place.offset % 8) % 8; at + 8 <= place.size; at += 8) {
                std::uint64_t word = 0;
                std::memcpy(&word, value + at, sizeof word);
                if (word != 0) {
                    reading_.memory.push_back({word, 1, access::write, false});
                }
            }
        }
    }
    template <class Parameters>
    bool place_of(const Parameters& parameters, std::size_t i, driver::parameter_place& place) const {
        return parameters.func != nullptr ? driver::func_get_param_info(parameters.func, i, place, where_)
                                          : driver::kernel_get_param_info(parameters.kern, i, place, where_);
    }
    static const char* packed_arguments(void** extra) noexcept {
        for (void** option = extra; option != nullptr && *option != CU_LAUNCH_PARAM_END; option += 2) {
            if (*option == CU_LAUNCH_PARAM_BUFFER_POINTER) {
                return static_cast<const char*>(option[1]);
            }
        }
        return nullptr;
    }

    void read_child(CUgraph graph) {
        for (const CUgraphNode each : nodes_of(graph, where_)) {
            read_parameters(each, kind_of(driver::graph_node_get_type(each, where_)), false);
        }
    }

    source_line where_;
    inner_nodes inside_;
    node_reading reading_;
    std::vector<CUgraphEdgeData> edges_;
    std::vector<known_function> functions_;  // by handle
    std::vector<driver::parameter_place> places_;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
