#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

/// What a handle holds, which it then no longer does. std::exchange would ask five traits of each type.
template <class T>
constexpr T take(T& from) noexcept {
    const T taken = from;
    from = T{};
    return taken;
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
