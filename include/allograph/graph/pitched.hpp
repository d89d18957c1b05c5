#pragma once

#include <allograph/model/device_span.hpp>

namespace allograph {
inline namespace v0 {

/// Rows of device memory: `width` elements used of every `pitch_bytes`, `height` rows a slice, `depth` slices.
template <class T>
class device_pitched {
public:
    using element_type = T;  ///< const where the memory is only read

    /// @param width,height,depth  in elements, rows, slices; at least 1 each
    /// @param pitch_bytes         from row to row; 0: rows lie side by side
    /// @throws misuse [O5] for none of a dimension, for a pitch shorter than a row, or when the last row passes the end
    ///         of a known allocation
    constexpr device_pitched(device_ptr<T> data, std::size_t width, std::size_t height, std::size_t depth = 1,
                             std::size_t pitch_bytes = 0)
        : data_(data), width_(width), height_(height), depth_(depth), pitch_(pitch_bytes != 0 ? pitch_bytes : width * sizeof(T)) {
        if (width == 0 || height == 0 || depth == 0 || pitch_ < width * sizeof(T)) {
            detail::broken_rule("O5", "rows of no elements, or a pitch that is shorter than a row");
        }
        const std::size_t bytes = (height * depth - 1) * pitch_ + width * sizeof(T);
        if (data.bounded() && bytes > data.known_elements() * sizeof(T)) {
            detail::broken_rule("O5", "the rows pass the end of their allocation");
        }
    }
    template <class U>
        requires(std::is_const_v<T> && std::same_as<std::remove_const_t<T>, U>)
    constexpr device_pitched(const device_pitched<U>& other)
        : data_(other.data()), width_(other.width()), height_(other.height()), depth_(other.depth()),
          pitch_(other.pitch_bytes()) {}

    [[nodiscard]] constexpr device_ptr<T> data() const noexcept { return data_; }                      ///< of the first row
    [[nodiscard]] constexpr std::size_t width() const noexcept { return width_; }                      ///< elements a row
    [[nodiscard]] constexpr std::size_t height() const noexcept { return height_; }                    ///< rows a slice
    [[nodiscard]] constexpr std::size_t depth() const noexcept { return depth_; }                      ///< slices
    [[nodiscard]] constexpr std::size_t pitch_bytes() const noexcept { return pitch_; }                ///< from row to row
    [[nodiscard]] constexpr allocation_ref allocation() const noexcept { return data_.allocation(); }  ///< it came from

private:
    device_ptr<T> data_;
    std::size_t width_;
    std::size_t height_;
    std::size_t depth_;
    std::size_t pitch_;
};

/// The same in host memory, which must outlive every launch.
template <class T>
struct host_pitched {
    T* data;                      ///< of the first row
    std::size_t width;            ///< in elements
    std::size_t height;           ///< in rows
    std::size_t depth = 1;        ///< in slices of `height` rows
    std::size_t pitch_bytes = 0;  ///< from row to row; 0: rows lie side by side
};

}  // namespace v0
}  // namespace allograph
