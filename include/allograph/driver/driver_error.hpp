#pragma once

#include <cuda.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <system_error>

#include <allograph/model/misuse.hpp>

namespace allograph {
inline namespace v0 {

/// The category of `CUresult`: names and texts are the driver's own.
[[nodiscard]] inline const std::error_category& driver_category() noexcept {
    struct category final : std::error_category {
        [[nodiscard]] const char* name() const noexcept override { return "cuda driver"; }
        [[nodiscard]] std::string message(int value) const override {
            const auto result = static_cast<CUresult>(value);
            const char* name = nullptr;
            const char* text = nullptr;
            if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
                return "unknown CUresult " + std::to_string(value);
            }
            std::string message = name;
            if (cuGetErrorString(result, &text) == CUDA_SUCCESS && text != nullptr) {
                message += std::string(": ") + text;
            }
            return message;
        }
    };
    static const category the_category;
    return the_category;
}

/// A driver call that failed: `code().value()` is its `CUresult`; `what()` names the call, the error, the arguments
/// that matter and the line of the user's program.
class driver_error : public std::system_error {
public:
    /// @param call       the driver function, a string literal
    /// @param arguments  those that matter, as text
    /// @param where      the line of the calling program; left out of the message where it is not known
    driver_error(CUresult result, const char* call, const std::string& arguments, source_line where)
        : std::system_error(static_cast<int>(result), driver_category(), "allograph: " + text(call, arguments, where)),
          call_(call), where_(where) {}

    /// The driver function that failed, as in "cuGraphLaunch".
    [[nodiscard]] const char* call() const noexcept { return call_; }
    /// What the driver answered.
    [[nodiscard]] CUresult result() const noexcept { return static_cast<CUresult>(code().value()); }
    /// The line of the calling program.
    [[nodiscard]] source_line where() const noexcept { return where_; }

private:
    static std::string text(const char* call, const std::string& arguments, source_line where) {
        return std::string(call) + "(" + arguments + ")" + (where.known() ? " at " + detail::line_text(where) : std::string());
    }
    const char* call_;
    source_line where_;
};

/// Driver functions, one thin inline function each: the result becomes an exception, nothing else happens.
namespace driver {

/// An argument worth showing when a call fails.
struct argument {
    const char* name;     ///< as the driver's manual names it
    std::uint64_t value;  ///< the number, or the handle as one
    /// A number, shown in decimal.
    constexpr argument(const char* label, std::uint64_t number) noexcept : name(label), value(number) {}
    /// A handle or an address, shown in hexadecimal.
    argument(const char* label, const void* handle) noexcept
        : name(label), value(reinterpret_cast<std::uintptr_t>(handle)), is_handle(true) {}
    bool is_handle = false;  ///< shown in hexadecimal then
};

/// Throws `driver_error` for a result.
/// @param call  the driver function, a string literal
[[noreturn, gnu::noinline, gnu::cold]] inline void fail(CUresult result, const char* call,
                                                        std::initializer_list<argument> arguments, source_line where) {
    std::string text;
    for (const argument& each : arguments) {
        text += (text.empty() ? "" : ", ") + std::string(each.name) + " = ";
        if (each.is_handle) {
            constexpr const char* digits = "0123456789abcdef";
            std::string hex;
            for (std::uint64_t rest = each.value; rest != 0; rest >>= 4) {
                hex.insert(hex.begin(), digits[rest & 15]);
            }
            text += hex.empty() ? "null" : "0x" + hex;
        } else {
            text += std::to_string(each.value);
        }
    }
    throw driver_error(result, call, text, where);
}

/// Throws `driver_error` for any result but `CUDA_SUCCESS`: what a raw call beside the library is wrapped in.
/// @param call       the driver function, a string literal
/// @param arguments  shown in the message
[[gnu::always_inline]] inline void check(CUresult result, const char* call, source_line where,
                                         std::initializer_list<argument> arguments = {}) {
    if (result != CUDA_SUCCESS) [[unlikely]] {
        fail(result, call, arguments, where);
    }
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
