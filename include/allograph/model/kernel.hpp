#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <allograph/model/device_ptr.hpp>

struct CUfunc_st;  // CUfunction and CUkernel are pointers to these
struct CUkern_st;

namespace allograph {
inline namespace v0 {

/// A kernel of known signature: `kernel<void(int, float, const float*, float*)>`. A parameter that points to const
/// is read, one that points to non-const is written. It does not own the function.
template <class Signature>
class kernel {
    static_assert(sizeof(Signature) == 0, "write the kernel's signature: kernel<void(int, const float*, float*)>");
};

/// A kernel that takes `Params`.
template <class... Params>
class kernel<void(Params...)> {
    static_assert((!std::is_reference_v<Params> && ...), "a kernel cannot take a reference");
    static_assert((std::is_trivially_copyable_v<Params> && ...),
                  "kernel parameters are copied bytewise: pass trivially copyable values");

public:
    using signature = void(Params...);  ///< as it was written

    /// No function yet: enough for the model; a graph of the driver refuses it.
    constexpr kernel() noexcept = default;
    /// @param name  shown in diagnostics, a string that outlives the graph
    constexpr explicit kernel(CUfunc_st* function, const char* name = nullptr) noexcept : function_(function), name_(name) {}
    constexpr explicit kernel(CUkern_st* function, const char* name = nullptr) noexcept : kernel_(function), name_(name) {}
    /// A name without a function: for programs that are only verified or planned.
    constexpr explicit kernel(const char* name) noexcept : name_(name) {}

    /// The function of a module, or null.
    [[nodiscard]] constexpr CUfunc_st* function() const noexcept { return function_; }
    /// The kernel of a library, or null.
    [[nodiscard]] constexpr CUkern_st* library_kernel() const noexcept { return kernel_; }
    /// The name in diagnostics, or null.
    [[nodiscard]] constexpr const char* name() const noexcept { return name_; }
    /// True where a graph of the driver can run it.
    [[nodiscard]] constexpr bool has_function() const noexcept { return function_ != nullptr || kernel_ != nullptr; }

private:
    CUfunc_st* function_ = nullptr;
    CUkern_st* kernel_ = nullptr;
    const char* name_ = nullptr;
};

namespace detail {

template <class A>
inline constexpr bool is_device_ptr = false;
template <class T>
inline constexpr bool is_device_ptr<device_ptr<T>> = true;

template <class To, class From>
concept braces_make = requires(From&& from) { To{static_cast<From&&>(from)}; };

template <class T>
concept whole_number = std::is_integral_v<T> && !std::same_as<T, bool>;

template <class Param, class Arg>
constexpr bool argument_fits() {
    using arg = std::remove_cvref_t<Arg>;
    if constexpr (is_device_ptr<arg>) {
        return std::is_pointer_v<Param> && std::is_convertible_v<typename arg::element_type*, Param>;
    } else if constexpr (whole_number<Param> && whole_number<arg>) {
        return true;  // the value is checked when the node is added
    } else {
        return (std::same_as<Param, bool> || !std::same_as<arg, bool>) &&
               braces_make<Param, const std::remove_reference_t<Arg>&>;  // no narrowing: 2.0f for a float
    }
}

/// True where an argument of type `Arg` may be passed for a kernel's parameter of type `Param`.
template <class Param, class Arg>
concept kernel_argument = argument_fits<Param, Arg>();

template <whole_number T>
constexpr bool negative(T value) noexcept {
    if constexpr (std::is_signed_v<T>) {
        return value < T{};
    } else {
        return false;
    }
}

/// The value of the parameter that an argument stands for.
/// @throws misuse [argument] for a whole number that the parameter cannot hold
template <class Param, class Arg>
constexpr Param to_parameter(const Arg& arg) {
    if constexpr (is_device_ptr<Arg>) {
        return arg.get();
    } else if constexpr (whole_number<Param> && whole_number<Arg>) {
        const Param value = static_cast<Param>(arg);  // not std::in_range, which refuses character types
        if (static_cast<Arg>(value) != arg || negative(value) != negative(arg)) {
            broken_rule("argument", "a kernel argument does not fit its parameter's type");
        }
        return value;
    } else {
        return Param{arg};
    }
}

/// What passing `Arg` for `Param` says of the memory behind it.
template <class Param, class Arg>
constexpr memory_use use_of_argument(const Arg& arg) {
    if constexpr (is_device_ptr<Arg>) {
        return {arg.allocation(), std::is_const_v<std::remove_pointer_t<Param>> ? access::read : access::write};
    } else {
        return {};
    }
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
