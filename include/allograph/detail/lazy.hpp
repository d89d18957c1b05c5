#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

template <class T, class>
struct lazily {
    using type = T;
};

/// `T`, as far as a compiler that reads a template with the parameter `On` cannot know: it then compiles what the
/// template does with a `T` where the template is used, and not in every file that includes it.
template <class T, class On>
using lazy = typename lazily<T, On>::type;

}  // namespace detail
}  // namespace v0
}  // namespace allograph
