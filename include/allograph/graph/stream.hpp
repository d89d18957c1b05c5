#pragma once

#include <concepts>
#include <utility>

#include <allograph/detail/take.hpp>
#include <allograph/driver/stream_calls.hpp>
#include <allograph/graph/detail/device_info.hpp>

namespace allograph {
inline namespace v0 {

struct because_a_number_is_no_stream {};
struct because_a_stream_has_one_owner_write_std_move_or_stream_ref {};

/// A stream that somebody else owns: from `CUstream`, `cudaStream_t`, and anything that converts to them.
class stream_ref {
public:
    /// A stream of the driver, or of the runtime.
    constexpr stream_ref(CUstream stream) noexcept : stream_(stream) {}
    /// Anything that converts to a stream.
    template <class S>
        requires(std::convertible_to<const S&, CUstream> && !std::same_as<S, CUstream>)
    constexpr stream_ref(const S& stream) : stream_(static_cast<CUstream>(stream)) {}
    template <class N>
        requires std::is_arithmetic_v<N>
    stream_ref(N, because_a_number_is_no_stream = {}) = delete;

    /// The driver's handle, or null for the legacy default stream.
    [[nodiscard]] constexpr CUstream get() const noexcept { return stream_; }

private:
    CUstream stream_;
};

/// A stream that this object owns, for programs that have none yet. It does not wait on the legacy default stream.
/// What launches and buffers on it free memory on it, so it must outlive them.
class stream {
public:
    /// Driver: cuStreamCreate. @throws misuse [A6]; driver_error
    explicit stream(device where_it_runs = device{0}, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        const CUcontext context = detail::context_for(where_it_runs, where);
        const CUcontext before = driver::ctx_get_current(where);
        driver::ctx_set_current(context, where);  // streams belong to the current context
        CUstream made = nullptr;
        const CUresult result = cuStreamCreate(&made, CU_STREAM_NON_BLOCKING);
        const CUresult restored = cuCtxSetCurrent(before);
        if (restored != CUDA_SUCCESS && result == CUDA_SUCCESS) {
            cuStreamDestroy_v2(made);
        }
        driver::check(result, "cuStreamCreate", where);
        driver::check(restored, "cuCtxSetCurrent", where);
        stream_ = made;
    }
    stream(stream&& other) noexcept : stream_(detail::take(other.stream_)) {}
    stream& operator=(stream&& other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }
    stream(const stream&, because_a_stream_has_one_owner_write_std_move_or_stream_ref = {}) = delete;
    ~stream() {
        if (stream_ != nullptr) {
            cuStreamDestroy_v2(stream_);
        }
    }

    /// The driver's handle; the stream keeps it.
    [[nodiscard]] CUstream get() const noexcept { return stream_; }
    /// The same, for calls that take a `CUstream`.
    operator CUstream() const noexcept { return stream_; }

    /// Waits until all work on the stream is done. Driver: cuStreamSynchronize
    void synchronize(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) const {
        driver::stream_synchronize(stream_, {file, line});
    }

private:
    CUstream stream_ = nullptr;
};

}  // namespace v0
}  // namespace allograph
