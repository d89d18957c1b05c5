#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <allograph/detail/take.hpp>
#include <allograph/graph/detail/allocation_cell.hpp>
#include <allograph/graph/orphan.hpp>
#include <allograph/graph/stream.hpp>
#include <allograph/model/device_span.hpp>

namespace allograph {
inline namespace v0 {

struct because_only_a_launch_makes_a_stream_buffer {};
struct because_a_buffer_is_freed_once_write_std_move {};

/// The memory of an output of one launch, owned: freed on its stream when the buffer dies (rules F8, X10), which
/// may be after graph and executable are gone (X4). While it lives its executable cannot be launched again (X1).
///
/// The stream must outlive the buffer. In a destructor that runs while the stream captures, or when the driver
/// refuses, the memory goes to the orphan handler instead.
template <class T>
class [[nodiscard("a buffer that dies at once frees the output at once")]] stream_buffer {
public:
    using element_type = T;  ///< as it was allocated

    stream_buffer(stream_buffer&& other) noexcept
        : memory_(detail::take(other.memory_)), stream_(other.stream_), cell_(std::move(other.cell_)) {}
    stream_buffer& operator=(stream_buffer&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(stream_, other.stream_);
        std::swap(cell_, other.cell_);
        return *this;
    }
    stream_buffer(const stream_buffer&, because_a_buffer_is_freed_once_write_std_move = {}) = delete;
    template <class Reason = because_a_buffer_is_freed_once_write_std_move>
    stream_buffer& operator=(stream_buffer&) = delete;
    template <class Reason = because_only_a_launch_makes_a_stream_buffer>
    stream_buffer() = delete;
    template <class M, class Reason = because_only_a_launch_makes_a_stream_buffer>
        requires(!std::same_as<M, stream_buffer>)
    explicit stream_buffer(const M&) = delete;
    template <class M, class Reason = because_only_a_launch_makes_a_stream_buffer>
    stream_buffer(const M&, stream_ref) = delete;
    ~stream_buffer() {
        if (!memory_.empty()) {
            cell_.set_live(false);
            detail::free_or_orphan(memory_.data().address(), memory_.size_bytes(), stream_);
        }
    }

    /// Usable by work on `stream()`, or ordered after the launch.
    [[nodiscard]] device_ptr<T> data() const noexcept { return memory_.data(); }
    /// All elements, usable as `data()` is.
    [[nodiscard]] device_span<T> span() const noexcept { return memory_; }
    /// Elements; 0 once moved from, freed or released.
    [[nodiscard]] std::size_t size() const noexcept { return memory_.size(); }
    /// Bytes; 0 once moved from, freed or released.
    [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size_bytes(); }
    /// Where the memory will be freed: at first the stream of the launch.
    [[nodiscard]] CUstream stream() const noexcept { return stream_; }

    /// From here on the memory is freed on `other`; the caller orders that stream after the work that uses it.
    void set_stream(stream_ref other) noexcept { stream_ = other.get(); }

    /// Frees now, on the stream, and reports a failure that the destructor could only hand to the handler.
    /// @throws driver_error, the memory is still owned. Driver: cuMemFreeAsync
    void free(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        if (!memory_.empty()) {
            driver::mem_free_async(memory_.data().address(), stream_, {file, line});
            cell_.set_live(false);
            memory_ = {};
        }
    }

    /// Gives the memory up: whoever takes the address frees it, once. The executable may not be launched before
    /// that; it is no longer tracked here.
    [[nodiscard]] device_ptr<T> release() noexcept {
        cell_.lose_sight();
        return detail::take(memory_).data();
    }

    /// Copies to the host in the order of the stream; synchronise the stream before reading.
    /// @param host  as many elements as the buffer has. @throws misuse [O5] for another size
    /// Driver: cuMemcpyDtoHAsync
    void copy_to(std::span<T> host, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) const {
        const source_line where{file, line};
        if (host.size() != size()) {
            detail::broken_rule("O5", "a copy between memories of different sizes", where);
        }
        driver::memcpy_dtoh_async(host.data(), memory_.data().address(), memory_.size_bytes(), stream_, where);
    }

private:
    friend struct detail::handle_access;
    stream_buffer(device_span<T> memory, CUstream stream, detail::allocation_cell cell) noexcept
        : memory_(memory), stream_(stream), cell_(std::move(cell)) {}

    device_span<T> memory_;
    CUstream stream_;
    detail::allocation_cell cell_;
};

}  // namespace v0
}  // namespace allograph
