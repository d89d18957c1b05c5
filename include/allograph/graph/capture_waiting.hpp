#pragma once

#include <cuda.h>

#include <cstdint>
#include <new>

#include <allograph/graph/detail/atomic_word.hpp>
#include <allograph/graph/detail/spin_lock.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// For its life, calls of this thread break no capture that they have no part in. A free on another stream, or the
/// destruction of an executable, would end the captures of this thread and the guarded ones of others.
class capture_truce {
public:
    capture_truce() noexcept : changed_(cuThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS) {}
    capture_truce(const capture_truce&) = delete;
    capture_truce& operator=(const capture_truce&) = delete;
    ~capture_truce() {
        if (changed_) {
            cuThreadExchangeStreamCaptureMode(&mode_);
        }
    }

private:
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // then the one before
    bool changed_;
};

/// What the destructors of one thread left undone while a capture scope of that thread was open. Kept in a list of the
/// process, not of the thread: an unguarded capture may end on another one.
class capture_waiting {
public:
    /// Memory to free on a stream, or an executable to destroy.
    struct item {
        CUdeviceptr address;
        std::uint64_t bytes;
        CUstream stream;
        CUgraphExec exec;
        item* next;
    };

    /// From here on destructors of the calling thread wait.
    capture_waiting() noexcept : thread_(this_thread()) {
        const spin_lock guard;
        next_ = first();
        first() = this;
        open_scopes().add(1);
    }
    capture_waiting(const capture_waiting&) = delete;
    capture_waiting& operator=(const capture_waiting&) = delete;
    ~capture_waiting() {
        close([](const item&) noexcept {});  // nothing waits: whoever opens it closes it
    }

    /// Ends the waiting; what waited is done in the order in which it came. It waits again where the calling thread has
    /// a further capture open.
    template <class Do>
    void close(Do&& each) noexcept {
        if (!open_) {
            return;
        }
        open_ = false;
        {
            const spin_lock guard;
            capture_waiting** link = &first();
            while (*link != this) {
                link = &(*link)->next_;
            }
            *link = next_;
            open_scopes().add(0xFFFFFFFFu);
        }
        while (items_ != nullptr) {
            const item* const done = items_;
            items_ = done->next;
            each(*done);
            delete done;
        }
    }

    /// False where this thread has no capture scope open, or no memory to remember: the caller does it itself then.
    static bool free_later(CUdeviceptr address, std::uint64_t bytes, CUstream stream) noexcept {
        return later({address, bytes, stream, nullptr, nullptr});
    }
    static bool destroy_later(CUgraphExec exec) noexcept { return later({0, 0, nullptr, exec, nullptr}); }

private:
    static bool later(const item& what) noexcept {
        if (open_scopes().load() == 0) [[likely]] {
            return false;
        }
        item* const kept = new (std::nothrow) item(what);
        if (kept == nullptr) {
            return false;
        }
        {
            const spin_lock guard;
            for (capture_waiting* each = first(); each != nullptr; each = each->next_) {
                if (each->thread_ == this_thread()) {
                    *each->last_ = kept;
                    each->last_ = &kept->next;
                    return true;
                }
            }
        }
        delete kept;
        return false;
    }
    static capture_waiting*& first() noexcept {
        static capture_waiting* head = nullptr;
        return head;
    }
    static atomic_word<std::uint32_t>& open_scopes() noexcept {
        static atomic_word<std::uint32_t> count{0};
        return count;
    }
    static const char* this_thread() noexcept {
        static thread_local char place = 0;
        return &place;
    }

    const char* thread_;
    bool open_ = true;
    item* items_ = nullptr;
    item** last_ = &items_;
    capture_waiting* next_ = nullptr;
};

/// Destroys an executable for a destructor: at once, or when this thread's capture has ended.
inline void destroy_or_wait(CUgraphExec exec) noexcept {
    if (!capture_waiting::destroy_later(exec)) {
        const capture_truce truce;
        cuGraphExecDestroy(exec);
    }
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
