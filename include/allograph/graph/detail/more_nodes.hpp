#pragma once

#include <cstring>

#include <allograph/driver/more_node_calls.hpp>
#include <allograph/graph/pitched.hpp>
#include <allograph/model/node_builder.hpp>

namespace allograph {
inline namespace v0 {

/// A node that records an event.
using event_record_node = typed_node<node_kind::event_record>;
/// A node that waits for an event.
using event_wait_node = typed_node<node_kind::event_wait>;
/// A node that signals external semaphores.
using semaphore_signal_node = typed_node<node_kind::semaphore_signal>;
/// A node that waits for external semaphores.
using semaphore_wait_node = typed_node<node_kind::semaphore_wait>;
/// A node that runs memory operations.
using batch_mem_op_node = typed_node<node_kind::batch_mem_op>;

/// When a dependent kernel may start before the kernel that it depends on has ended.
enum class programmatic : std::uint8_t {
    on_trigger = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,  ///< once every block called the trigger
    on_launch = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER    ///< once every block has started
};

struct because_only_a_kernel_can_start_before_a_kernel_has_ended {};
struct because_the_body_of_a_conditional_holds_kernels_memsets_memcpys_children_and_conditionals_alone {};

namespace detail {

/// The node kinds that programs of the model know nothing of: members of every graph of the driver that may hold them.
template <class Derived, graph_kind Kind>
class more_nodes {
    static constexpr capabilities can = capabilities_of(Kind);

public:
    /// Records an event when it runs. The event must outlive every launch. Driver: cuGraphAddEventRecordNode
    event_record_node add_event_record(const dependencies& deps, CUevent event)
        requires(can.every_node)
    {
        return event_record_node(self().add(deps, node_kind::event_record, nullptr, {}, [&](driver::node_list list) {
            return driver::graph_add_event_record_node(self().get(), list, event, deps.where());
        }));
    }
    /// Waits for an event when it runs. The event must outlive every launch. Driver: cuGraphAddEventWaitNode
    event_wait_node add_event_wait(const dependencies& deps, CUevent event)
        requires(can.every_node)
    {
        return event_wait_node(self().add(deps, node_kind::event_wait, nullptr, {}, [&](driver::node_list list) {
            return driver::graph_add_event_wait_node(self().get(), list, event, deps.where());
        }));
    }

    /// Signals external semaphores, one set of parameters each.
    /// @throws misuse [D5] when the two ranges differ in length. Driver: cuGraphAddExternalSemaphoresSignalNode
    semaphore_signal_node add_semaphore_signal(const dependencies& deps, std::span<const CUexternalSemaphore> semaphores,
                                               std::span<const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS> each)
        requires(can.every_node)
    {
        same_length(semaphores.size(), each.size(), deps.where());
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS parameters{};
        parameters.extSemArray = const_cast<CUexternalSemaphore*>(semaphores.data());  // read alone, says the manual
        parameters.paramsArray = each.data();
        parameters.numExtSems = static_cast<unsigned>(semaphores.size());
        return semaphore_signal_node(self().add(deps, node_kind::semaphore_signal, nullptr, {}, [&](driver::node_list list) {
            return driver::graph_add_external_semaphores_signal_node(self().get(), list, parameters, deps.where());
        }));
    }
    /// Waits for external semaphores, one set of parameters each.
    /// @throws misuse [D5] when the two ranges differ in length. Driver: cuGraphAddExternalSemaphoresWaitNode
    semaphore_wait_node add_semaphore_wait(const dependencies& deps, std::span<const CUexternalSemaphore> semaphores,
                                           std::span<const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> each)
        requires(can.every_node)
    {
        same_length(semaphores.size(), each.size(), deps.where());
        CUDA_EXT_SEM_WAIT_NODE_PARAMS parameters{};
        parameters.extSemArray = const_cast<CUexternalSemaphore*>(semaphores.data());
        parameters.paramsArray = each.data();
        parameters.numExtSems = static_cast<unsigned>(semaphores.size());
        return semaphore_wait_node(self().add(deps, node_kind::semaphore_wait, nullptr, {}, [&](driver::node_list list) {
            return driver::graph_add_external_semaphores_wait_node(self().get(), list, parameters, deps.where());
        }));
    }

    /// Runs memory operations, as cuStreamBatchMemOp does. Their memory is from elsewhere: a launch with operations on an
    /// allocation of a graph is refused by the driver (H200, driver 13.0). `uses(...)` may follow.
    /// Driver: cuGraphAddBatchMemOpNode
    template <std::size_t N = 0>
        requires(can.every_node)
    batch_mem_op_node add_batch_mem_op(const dependencies& deps, std::span<const CUstreamBatchMemOpParams> operations,
                                       const use_list<N>& touched = {}) {
        CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{};
        parameters.ctx = self().context();
        parameters.count = static_cast<unsigned>(operations.size());
        parameters.paramArray = const_cast<CUstreamBatchMemOpParams*>(operations.data());
        return batch_mem_op_node(self().add(deps, node_kind::batch_mem_op, nullptr,
                                            std::span<const memory_use>(touched.items.data(), N), [&](driver::node_list list) {
                                                return driver::graph_add_batch_mem_op_node(self().get(), list, parameters,
                                                                                           deps.where());
                                            }));
    }
    template <class... Args,
              class Reason = because_the_body_of_a_conditional_holds_kernels_memsets_memcpys_children_and_conditionals_alone>
        requires(!can.every_node)
    void add_event_record(const dependencies&, const Args&...) = delete;
    template <class... Args,
              class Reason = because_the_body_of_a_conditional_holds_kernels_memsets_memcpys_children_and_conditionals_alone>
        requires(!can.every_node)
    void add_event_wait(const dependencies&, const Args&...) = delete;
    template <class... Args,
              class Reason = because_the_body_of_a_conditional_holds_kernels_memsets_memcpys_children_and_conditionals_alone>
        requires(!can.every_node)
    void add_semaphore_signal(const dependencies&, const Args&...) = delete;
    template <class... Args,
              class Reason = because_the_body_of_a_conditional_holds_kernels_memsets_memcpys_children_and_conditionals_alone>
        requires(!can.every_node)
    void add_semaphore_wait(const dependencies&, const Args&...) = delete;
    template <class... Args,
              class Reason = because_the_body_of_a_conditional_holds_kernels_memsets_memcpys_children_and_conditionals_alone>
        requires(!can.every_node)
    void add_batch_mem_op(const dependencies&, const Args&...) = delete;

    /// Sets every element of rows with a pitch.
    /// @param value  of 1, 2 or 4 bytes. @throws misuse [O5] for more than one slice. Driver: cuGraphAddMemsetNode
    template <class T>
        requires(!std::is_const_v<T> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4))
    memset_node add_memset_2d(const dependencies& deps, const device_pitched<T>& rows, const std::type_identity_t<T>& value) {
        if (rows.depth() != 1) {
            broken_rule("O5", "a memset sets the rows of one slice", deps.where());
        }
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof(T));
        const memory_use use{rows.allocation(), access::write};
        return memset_node(self().add(deps, node_kind::memset, nullptr, std::span(&use, 1), [&](driver::node_list list) {
            CUDA_MEMSET_NODE_PARAMS parameters{};
            parameters.dst = rows.data().address();
            parameters.pitch = rows.pitch_bytes();
            parameters.value = bits;
            parameters.elementSize = sizeof(T);
            parameters.width = rows.width();
            parameters.height = rows.height();
            return driver::graph_add_memset_node(self().get(), list, parameters, self().context(), deps.where());
        }));
    }

    /// Copies rows with pitches between devices, or between a device and the host.
    /// @throws misuse [O5] when width, height or depth differ. Driver: cuGraphAddMemcpyNode
    template <class T, class S>
        requires(!std::is_const_v<T> && std::same_as<T, std::remove_const_t<S>>)
    memcpy_node add_memcpy_3d(const dependencies& deps, const device_pitched<T>& to, const device_pitched<S>& from) {
        return copy(deps, to, from);
    }
    template <class T, class S>
        requires(!std::is_const_v<T> && std::same_as<T, std::remove_const_t<S>>)
    memcpy_node add_memcpy_3d(const dependencies& deps, const device_pitched<T>& to, const host_pitched<S>& from) {
        return copy(deps, to, from);
    }
    template <class T, class S>
        requires(!std::is_const_v<T> && std::same_as<T, std::remove_const_t<S>>)
    memcpy_node add_memcpy_3d(const dependencies& deps, const host_pitched<T>& to, const device_pitched<S>& from) {
        return copy(deps, to, from);
    }

    /// Lets a kernel start before the kernel that it depends on has ended (rule D8). It orders the two kernels' starts
    /// alone: memory that passes between them is ordered by what the kernels say on the device, which no check sees.
    /// @throws misuse [D3] [D4] [D6] [D7]. Driver: cuGraphAddDependencies_v2
    void add_programmatic_dependency(const kernel_node& from, const kernel_node& to, programmatic when = programmatic::on_trigger,
                                     const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        CUgraphEdgeData data{};
        data.from_port = static_cast<unsigned char>(when);
        data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
        self().check_edge(from, to, where);
        driver::graph_add_dependency_with_data(self().get(), from.get(), to.get(), data, where);
    }
    template <class From, class To, class Reason = because_only_a_kernel_can_start_before_a_kernel_has_ended>
        requires(!(std::same_as<From, kernel_node> && std::same_as<To, kernel_node>))
    void add_programmatic_dependency(const From&, const To&) = delete;

private:
    Derived& self() noexcept { return static_cast<Derived&>(*this); }

    static void same_length(std::size_t a, std::size_t b, source_line where) {
        if (a != b) {
            broken_rule("D5", "as many semaphores as sets of parameters are needed", where);
        }
    }

    struct side {
        std::uint64_t address = 0;
        const void* host = nullptr;
        std::size_t width = 0, height = 0, depth = 0, pitch = 0, element_bytes = 0;
        memory_use use{};
        bool on_device = false;
    };
    template <class T>
    static side side_of(const device_pitched<T>& m, access how) {
        return {m.data().address(),    nullptr, m.width(), m.height(), m.depth(), m.pitch_bytes(), sizeof(T),
                {m.allocation(), how}, true};
    }
    template <class T>
    static side side_of(const host_pitched<T>& m, access) {
        return {0,         m.data, m.width, m.height, m.depth, m.pitch_bytes != 0 ? m.pitch_bytes : m.width * sizeof(T),
                sizeof(T), {},     false};
    }

    template <class To, class From>
    memcpy_node copy(const dependencies& deps, const To& to_memory, const From& from_memory) {
        const side to = side_of(to_memory, access::write);
        const side from = side_of(from_memory, access::read);
        if (to.width != from.width || to.height != from.height || to.depth != from.depth) {
            broken_rule("O5", "a copy between rows of different width, height or depth", deps.where());
        }
        const memory_use uses[2] = {to.use, from.use};
        return memcpy_node(self().add(deps, node_kind::memcpy, nullptr, uses, [&](driver::node_list list) {
            CUDA_MEMCPY3D parameters{};
            parameters.srcMemoryType = from.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
            parameters.srcDevice = from.address;
            parameters.srcHost = from.host;
            parameters.srcPitch = from.pitch;
            parameters.srcHeight = from.height;
            parameters.dstMemoryType = to.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
            parameters.dstDevice = to.address;
            parameters.dstHost = const_cast<void*>(to.host);  // the typed member took non-const elements
            parameters.dstPitch = to.pitch;
            parameters.dstHeight = to.height;
            parameters.WidthInBytes = to.width * to.element_bytes;
            parameters.Height = to.height;
            parameters.Depth = to.depth;
            return driver::graph_add_memcpy_node(self().get(), list, parameters, self().context(), deps.where());
        }));
    }
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
