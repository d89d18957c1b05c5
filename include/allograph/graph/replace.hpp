#pragma once

#include <allograph/graph/graph_exec.hpp>
#include <allograph/graph/graph_memory.hpp>

namespace allograph {
inline namespace v0 {

struct because_the_executable_ends_and_the_graph_is_taken_write_std_move_for_both {};

namespace detail {

template <class O>
constexpr decltype(auto) without_upload(O&& option) noexcept {
    if constexpr (std::same_as<std::remove_cvref_t<O>, upload_to>) {
        return no_option{};
    } else {
        return static_cast<O&&>(option);
    }
}
template <class Exec, class O>
void upload_if_asked(Exec& exec, const O& option, source_line where) {
    if constexpr (std::same_as<O, upload_to>) {
        exec.upload(option.stream, where.file, where.line);
    }
}

}  // namespace detail

/// An executable of another graph in the place of one that ends: their memory is never held at once. The new one is
/// instantiated, which maps nothing (rule M1); the old one ends and its memory goes back to the device; only then the
/// new one is uploaded, where `upload_to` asks for it.
/// @param old   ends once the new one is there; wait for its work first, or its memory stays until the next trim
/// @param next  consumed, as `instantiate` does
/// @param a,b,c  as for `instantiate`
/// @throws as `instantiate`: both are as they were. As `upload`: both have ended
/// Driver: cuGraphInstantiateWithParams, cuGraphExecDestroy, cuDeviceGraphMemTrim, cuGraphUpload
template <graph_kind Kind, checking Checks, class Fates, class A = detail::no_option, class B = detail::no_option,
          class C = detail::no_option>
    requires(!capabilities_of(Kind).many_executables)
[[nodiscard]] auto replace(graph_exec<Kind, Checks, Fates>&& old, basic_graph<Kind, Checks>&& next, A&& a = {}, B&& b = {},
                           C&& c = {}, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    const source_line where{file, line};
    const graph_memory own(next.where_it_runs(), file, line);
    memory_footprint held;
    if constexpr (Checks == checking::on) {
        held = old.footprint(file, line);
    }
    auto made = static_cast<basic_graph<Kind, Checks>&&>(next).instantiate(
        detail::without_upload(static_cast<A&&>(a)), detail::without_upload(static_cast<B&&>(b)),
        detail::without_upload(static_cast<C&&>(c)), file, line);
    {
        const auto ends = static_cast<graph_exec<Kind, Checks, Fates>&&>(old);
    }
    own.trim();
    for (int ordinal = 0; ordinal < memory_footprint::most_devices; ++ordinal) {
        if (held.on(device{ordinal}) != 0) {
            graph_memory(device{ordinal}, file, line).trim();
        }
    }
    detail::upload_if_asked(made, a, where);
    detail::upload_if_asked(made, b, where);
    detail::upload_if_asked(made, c, where);
    return made;
}
template <graph_kind Kind, checking Checks, class Fates, class G, class... Options,
          class Reason = because_the_executable_ends_and_the_graph_is_taken_write_std_move_for_both>
    requires(!capabilities_of(Kind).many_executables)
void replace(graph_exec<Kind, Checks, Fates>&, G&&, Options&&...) = delete;

}  // namespace v0
}  // namespace allograph
