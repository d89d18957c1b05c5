// Running an executable: at once and on the calling thread, one node after the other.
#include <algorithm>
#include <cstring>
#include <random>

#include "capture.hpp"
#include "exec.hpp"
#include "faults.hpp"
#include "stream.hpp"

namespace allograph_reference {
namespace {

void fill(const CUDA_MEMSET_NODE_PARAMS_v1& set) {
    const std::size_t rows = set.height > 1 ? set.height : 1;
    for (std::size_t row = 0; row < rows; ++row) {
        auto* at = reinterpret_cast<std::byte*>(set.dst + row * set.pitch);
        if (set.elementSize == 1) {
            std::memset(at, static_cast<int>(set.value & 0xff), set.width);
            continue;
        }
        for (std::size_t column = 0; column < set.width; ++column)
            std::memcpy(at + column * set.elementSize, &set.value, set.elementSize);
    }
}

void copy_rows(const CUDA_MEMCPY3D& copy) {
    const std::vector<touched_range> ends = touched_by(copy);
    const auto line = [&](const touched_range& end, std::size_t pitch, std::size_t height, std::size_t y, std::size_t z) {
        if (pitch == 0)
            pitch = copy.WidthInBytes;
        if (height == 0)
            height = copy.Height;
        return reinterpret_cast<std::byte*>(end.address + pitch * (y + height * z));
    };
    for (std::size_t z = 0; z < copy.Depth; ++z)
        for (std::size_t y = 0; y < copy.Height; ++y)
            std::memmove(line(ends[1], copy.dstPitch, copy.dstHeight, y, z), line(ends[0], copy.srcPitch, copy.srcHeight, y, z),
                         copy.WidthInBytes);
}

// False where a wait would never end: nothing else runs meanwhile.
bool run_batch(const batch_data& batch) {
    for (const CUstreamBatchMemOpParams& each : batch.operations) {
        std::uint32_t narrow = 0;
        std::uint64_t wide = 0;
        switch (each.operation) {
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            std::memcpy(reinterpret_cast<void*>(each.writeValue.address), &each.writeValue.value, sizeof narrow);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            std::memcpy(reinterpret_cast<void*>(each.writeValue.address), &each.writeValue.value64, sizeof wide);
            break;
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        case CU_STREAM_MEM_OP_WAIT_VALUE_64: {
            const bool is_wide = each.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
            std::memcpy(&narrow, reinterpret_cast<const void*>(each.waitValue.address), sizeof narrow);
            wide = narrow;
            if (is_wide)
                std::memcpy(&wide, reinterpret_cast<const void*>(each.waitValue.address), sizeof wide);
            const std::uint64_t wanted = is_wide ? each.waitValue.value64 : each.waitValue.value;
            bool met = false;
            switch (each.waitValue.flags & 3U) {
            case CU_STREAM_WAIT_VALUE_GEQ:
                met = is_wide ? static_cast<std::int64_t>(wide - wanted) >= 0
                              : static_cast<std::int32_t>(narrow - static_cast<std::uint32_t>(wanted)) >= 0;
                break;
            case CU_STREAM_WAIT_VALUE_EQ:
                met = wide == wanted;
                break;
            case CU_STREAM_WAIT_VALUE_AND:
                met = (wide & wanted) != 0;
                break;
            default:
                met = is_wide ? ~(wide | wanted) != 0 : static_cast<std::uint32_t>(~(wide | wanted)) != 0;
                break;
            }
            if (!met)
                return false;
            break;
        }
        default:
            break;  // flushes and barriers: memory is always coherent here
        }
    }
    return true;
}

class runner {
public:
    explicit runner(stream& on) : on_(on), random_(state().order_seed) {}

    CUresult run(executable_graph& which) {
        if (state().order_seed != 0)
            return run_shuffled(which);
        for (const std::size_t index : which.order)
            if (const CUresult result = run(which.nodes[index]); result != CUDA_SUCCESS)
                return result;
        return CUDA_SUCCESS;
    }

    CUresult run(executable_node& which) {
        if (!which.enabled)
            return CUDA_SUCCESS;
        if (std::holds_alternative<child_data>(which.data))
            return run(*which.graphs[0]);
        if (const auto* conditional = std::get_if<conditional_data>(&which.data))
            return run_conditional(which, *conditional);
        return run(which.data);
    }

    CUresult run(node_data& data) {
        if (auto* kernel = std::get_if<kernel_data>(&data))
            return run_kernel(*kernel);
        if (const auto* set = std::get_if<memset_data>(&data))
            return guarded("a memset", [&] { fill(set->set); });
        if (const auto* copy = std::get_if<memcpy_data>(&data))
            return guarded("a memcpy", [&] { copy_rows(copy->copy); });
        if (const auto* host = std::get_if<host_data>(&data)) {
            const callback_scope inside;
            host->fn(host->user_data);
        } else if (const auto* allocates = std::get_if<alloc_data>(&data)) {
            make_live(allocates->memory);
        } else if (const auto* frees = std::get_if<free_data>(&data)) {
            release_allocation(frees->memory);
        } else if (const auto* record = std::get_if<event_record_data>(&data)) {
            if (event* found = find_event(record->event))
                record_event(*found, on_);
        } else if (const auto* wait = std::get_if<event_wait_data>(&data)) {
            if (const event* found = find_event(wait->event))
                wait_event(*found, on_);
        } else if (const auto* batch = std::get_if<batch_data>(&data)) {
            bool ended = true;
            const CUresult result = guarded("a batch of memory operations", [&] { ended = run_batch(*batch); });
            if (result != CUDA_SUCCESS)
                return result;
            if (!ended) {
                report("[wait] a batch of memory operations waits for a value that nothing will write");
                return CUDA_ERROR_LAUNCH_TIMEOUT;
            }
        }
        return CUDA_SUCCESS;
    }

private:
    CUresult run_shuffled(executable_graph& which) {
        std::vector<std::size_t> waiting(which.nodes.size());
        std::vector<std::vector<std::size_t>> dependents(which.nodes.size());
        std::vector<std::size_t> ready;
        for (const std::size_t index : which.order) {
            waiting[index] = which.nodes[index].dependencies.size();
            for (const std::size_t from : which.nodes[index].dependencies)
                dependents[from].push_back(index);
            if (waiting[index] == 0)
                ready.push_back(index);
        }
        while (!ready.empty()) {
            std::swap(ready[random_() % ready.size()], ready.back());
            const std::size_t next = ready.back();
            ready.pop_back();
            if (const CUresult result = run(which.nodes[next]); result != CUDA_SUCCESS)
                return result;
            for (const std::size_t dependent : dependents[next])
                if (--waiting[dependent] == 0)
                    ready.push_back(dependent);
        }
        return CUDA_SUCCESS;
    }

    CUresult run_conditional(executable_node& which, const conditional_data& conditional) {
        const auto known = state().conditionals.find(conditional.handle);
        const auto handle = known == state().conditionals.end() ? nullptr : known->second.lock();
        if (handle == nullptr)
            return CUDA_ERROR_INVALID_VALUE;
        if (conditional.type == CU_GRAPH_COND_TYPE_WHILE) {
            while (handle->value != 0)
                if (const CUresult result = run(*which.graphs[0]); result != CUDA_SUCCESS)
                    return result;
            return CUDA_SUCCESS;
        }
        const std::size_t body = conditional.type == CU_GRAPH_COND_TYPE_IF ? (handle->value != 0 ? 0 : 1) : handle->value;
        return body < which.graphs.size() ? run(*which.graphs[body]) : CUDA_SUCCESS;
    }

    CUresult run_kernel(kernel_data& kernel) {
        const kernel_code& code = *kernel.code->code;
        const context* own = find_context(kernel.ctx);
        allograph_reference_launch launch{};
        std::copy_n(kernel.grid, 3, launch.grid);
        std::copy_n(kernel.block, 3, launch.block);
        launch.shared_bytes = kernel.shared_bytes;
        launch.device = own != nullptr ? own->device : on_.ctx->device;
        launch.name = code.name.c_str();
        void** arguments = kernel.arguments();
        return guarded("kernel '" + code.name + "'", [&] {
            const callback_scope inside;
            code.function(&launch, arguments);
        });
    }

    CUresult guarded(const std::string& what, const std::function<void()>& work) {
        if (run_guarded(what, work))
            return CUDA_SUCCESS;
        callback_scope::reset();  // the way out of the work skipped its end
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    }

    stream& on_;
    std::mt19937_64 random_;
};

bool has_semaphores(const executable_graph& which) {
    return std::any_of(which.nodes.begin(), which.nodes.end(), [](const executable_node& each) {
        return std::holds_alternative<semaphore_signal_data>(each.data) ||
               std::holds_alternative<semaphore_wait_data>(each.data) ||
               std::any_of(each.graphs.begin(), each.graphs.end(), [](const auto& inner) { return has_semaphores(*inner); });
    });
}

CUresult map_memory(const executable& which, stream& on) {
    for (const auto& [ordinal, chunks] : which.chunks) {
        device_state& device = *find_device(ordinal);
        if (!device.physical.map(chunks, &on, device.heap.charged()))
            return CUDA_ERROR_OUT_OF_MEMORY;  // [M2]
    }
    for (const auto& [ordinal, chunks] : which.aliases)
        find_device(ordinal)->physical.map_aliases(chunks);
    return CUDA_SUCCESS;
}

}  // namespace

CUresult upload(executable& which, stream& on) {
    if (on.capturing != nullptr)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (const CUresult result = ready(on); result != CUDA_SUCCESS)
        return result;
    issue(on);
    return map_memory(which, on);  // whether outputs live does not matter [X12]
}

CUresult launch(executable& which, stream& on) {
    if (invalidate_capture_of(on))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;  // no child node is made of it
    if (const CUresult result = ready(on); result != CUDA_SUCCESS)
        return result;
    if (has_semaphores(which.root))
        return CUDA_ERROR_NOT_SUPPORTED;
    const bool auto_free = (which.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
    if (!auto_free)
        for (const auto& each : which.outputs)
            if (each->live)
                return CUDA_ERROR_INVALID_VALUE;  // [X1] [X7]
    for (const auto& each : which.foreign)
        if (!each->live)
            return CUDA_ERROR_INVALID_VALUE;  // [X6]
    for (const auto& each : which.outputs)
        release_allocation(each);  // [X2]

    issue(on);
    if (const CUresult result = map_memory(which, on); result != CUDA_SUCCESS)
        return result;
    for (const auto& each : which.conditionals)
        if (each->assign_default)
            each->value = each->default_value;
    const CUresult result = runner(on).run(which.root);
    // A free that ran before its allocation, for want of an edge, leaves nothing behind [O4].
    for (const auto& each : which.allocations)
        if (each->live && std::find(which.outputs.begin(), which.outputs.end(), each) == which.outputs.end())
            release_allocation(each);
    // As on a GPU, the launch itself succeeds and whoever waits for it meets the error.
    if (result != CUDA_SUCCESS)
        on.ctx->sticky = result;
    return CUDA_SUCCESS;
}

CUresult run_single(node_data& data, stream& on) {
    if (const CUresult result = ready(on); result != CUDA_SUCCESS)
        return result;
    issue(on);
    if (const CUresult result = runner(on).run(data); result != CUDA_SUCCESS)
        on.ctx->sticky = result;
    return CUDA_SUCCESS;
}

}  // namespace allograph_reference
