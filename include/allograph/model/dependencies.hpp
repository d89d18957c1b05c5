#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <allograph/model/misuse.hpp>
#include <allograph/model/node.hpp>

namespace allograph {
inline namespace v0 {

/// In place of a range of dependencies: let the uses of memory decide (read after write, write after read, write
/// after write; a free after the last users), with the fewest edges that suffice. Needs a checked graph.
struct inferred_t {
    explicit constexpr inferred_t() = default;
};
/// `g.add_kernel(ag::inferred, ...)`
inline constexpr inferred_t inferred{};

/// `after(a, b) + inferred`: these, and what the uses of memory ask for.
template <std::size_t N>
struct after_and_inferred {
    std::array<node, N> nodes;  ///< those that were given
};

struct because_one_node_is_not_a_range_write_after_node {};
struct because_a_pointer_has_no_count_write_a_span_or_a_range {};
struct because_these_are_no_nodes_write_what_the_add_members_return {};
struct because_after_takes_nodes_write_what_the_add_members_return {};
struct because_a_root_has_no_dependencies_leave_after_out {};
struct because_dependencies_are_made_for_one_call_keep_the_range_instead {};

/// The given nodes as one range of dependencies, whatever their types.
template <node_handle... H>
    requires(sizeof...(H) > 0)
[[nodiscard]] constexpr std::array<node, sizeof...(H)> after(const H&... handles) noexcept {
    return {{detail::to_node(handles)...}};
}
template <class Reason = because_a_root_has_no_dependencies_leave_after_out>
void after() = delete;
template <class... H, class Reason = because_after_takes_nodes_write_what_the_add_members_return>
    requires(sizeof...(H) > 0 && !(node_handle<H> && ...))
void after(const H&...) = delete;

/// These nodes, and those that the uses of memory ask for.
template <std::size_t N>
[[nodiscard]] constexpr after_and_inferred<N> operator+(const std::array<node, N>& nodes, inferred_t) noexcept {
    return {nodes};
}

/// The nodes of a range, each once, in order of first appearance: for callers that merge ranges (rule D2).
template <node_range R>
[[nodiscard]] constexpr std::vector<node> unique_after(R&& range) {
    std::vector<node> nodes;
    for (auto&& handle : range) {
        const node n = detail::to_node(handle);
        bool seen = false;
        for (const node& earlier : nodes) {
            seen = seen || earlier == n;
        }
        if (!seen) {
            nodes.push_back(n);
        }
    }
    return nodes;
}

template <node_handle H, class Reason = because_one_node_is_not_a_range_write_after_node>
void unique_after(const H&) = delete;

/// The dependencies of one call, and the line of that call. Made implicitly, for the call alone: it may refer to
/// the caller's range.
///
/// A contiguous range of `node`, or of the driver's `CUgraphNode`, is referred to; of any other range up to 16
/// handles are gathered on the stack, more on the heap.
class dependencies {
public:
    /// The nodes of a braced list; `{}` makes a root.
    constexpr dependencies(std::initializer_list<node> nodes, const char* file = __builtin_FILE(),
                           unsigned line = __builtin_LINE()) noexcept
        : dependencies(nodes.begin(), nodes.size(), source_line{file, line}, false) {}  // the list lives as long as the call

    /// The nodes of a range, which outlives the call.
    template <node_range R>
    constexpr dependencies(R&& range, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
        : dependencies(nullptr, 0, source_line{file, line}, false) {  // complete from here on: a range that throws leaks nothing
        using element = std::remove_cvref_t<std::ranges::range_reference_t<R>>;
        constexpr bool contiguous = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;
        if constexpr (contiguous && std::same_as<element, node>) {
            nodes_ = std::ranges::data(range);
            size_ = std::ranges::size(range);
        } else if constexpr (contiguous && std::same_as<element, CUgraphNode_st*>) {
            raw_ = std::ranges::data(range);
            form_ = form::raw;
            size_ = std::ranges::size(range);
        } else {
            for (auto&& handle : range) {
                gather(detail::to_node(handle));
            }
        }
    }

    /// What the uses of memory ask for.
    constexpr dependencies(inferred_t, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept
        : dependencies(nullptr, 0, source_line{file, line}, true) {}

    /// These nodes, and what the uses of memory ask for.
    template <std::size_t N>
    constexpr dependencies(const after_and_inferred<N>& both, const char* file = __builtin_FILE(),
                           unsigned line = __builtin_LINE()) noexcept
        : dependencies(both.nodes.data(), N, source_line{file, line}, true) {}

    template <node_handle H>
    dependencies(const H&, because_one_node_is_not_a_range_write_after_node = {}) = delete;
    template <detail::node_pointer P>
    dependencies(const P&, because_a_pointer_has_no_count_write_a_span_or_a_range = {}) = delete;  // an array is no pointer here
    template <std::ranges::input_range R>
        requires(!node_range<R>)
    dependencies(const R&, because_these_are_no_nodes_write_what_the_add_members_return = {}) = delete;

    dependencies(const dependencies&, because_dependencies_are_made_for_one_call_keep_the_range_instead = {}) = delete;
    dependencies& operator=(const dependencies&) = delete;
    constexpr ~dependencies() {
        if (form_ == form::spilled) [[unlikely]] {
            delete[] parts_;
        }
    }

    /// How many nodes were given, not counting the inferred ones.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    /// A given node, from 0 on.
    [[nodiscard]] constexpr node operator[](std::size_t i) const noexcept {
        switch (form_) {
        case form::nodes:
            return nodes_[i];
        case form::raw:
            return node(raw_[i]);
        default:
            return detail::handle_access::make_node(parts_[i]);
        }
    }

    /// True when the uses of memory add to these nodes.
    [[nodiscard]] constexpr bool inferred() const noexcept { return inferred_; }

    /// The line of the call.
    [[nodiscard]] constexpr source_line where() const noexcept { return {file_, line_}; }

    /// The caller's own contiguous nodes, or null.
    [[nodiscard]] constexpr const node* nodes() const noexcept { return form_ == form::nodes ? nodes_ : nullptr; }
    /// The caller's own contiguous `CUgraphNode`s, or null.
    [[nodiscard]] constexpr CUgraphNode_st* const* raw() const noexcept { return form_ == form::raw ? raw_ : nullptr; }
    /// What was gathered from any other range, or null.
    [[nodiscard]] constexpr const detail::node_parts* gathered() const noexcept {
        return form_ == form::gathered || form_ == form::spilled ? parts_ : nullptr;
    }

private:
    static constexpr std::size_t gathered_on_stack = 16;

    enum class form : std::uint8_t {
        nodes,     // the caller's own
        raw,       // the caller's own
        gathered,  // in gathered_
        spilled    // on the heap
    };

    constexpr dependencies(const node* nodes, std::size_t size, source_line where, bool inferred) noexcept
        : nodes_(nodes), size_(size), file_(where.file), line_(where.line), form_(form::nodes), inferred_(inferred) {}

    constexpr void gather(const node& n) {
        const detail::node_parts& parts = detail::handle_access::parts(n);
        if (size_ < gathered_on_stack) {
            gathered_[size_++] = parts;
            parts_ = gathered_;
            form_ = form::gathered;
        } else {
            spill(parts);
        }
    }
    constexpr void spill(const detail::node_parts& parts) {
        if ((size_ & (size_ - 1)) == 0) {  // full: it has room for powers of two
            auto* const grown = new detail::node_parts[2 * size_];
            for (std::size_t i = 0; i < size_; ++i) {
                grown[i] = parts_[i];
            }
            if (form_ == form::spilled) {
                delete[] parts_;
            }
            parts_ = grown;
            form_ = form::spilled;
        }
        parts_[size_++] = parts;
    }

    // Few words, since every call that adds a node writes them.
    union {
        const node* nodes_;
        CUgraphNode_st* const* raw_;
        detail::node_parts* parts_;
    };
    std::size_t size_;
    const char* file_;
    std::uint32_t line_;
    form form_;
    bool inferred_;
    detail::node_parts gathered_[gathered_on_stack];  // only the first size_ are set
};

}  // namespace v0
}  // namespace allograph
