#pragma once

#include <cuda.h>

#include <span>

#include <allograph/model/dependencies.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// The dependencies of one call as the driver takes them: the caller's own array where it is one, else gathered,
/// up to 16 on the stack. Inlined by force, and `dependencies` never leaves it by address: so that object is no memory
/// but a few registers, and that is most of what an unchecked node would cost above the raw call.
class raw_dependencies {
public:
    [[gnu::always_inline]] explicit raw_dependencies(const dependencies& deps) : list_(on_stack_), size_(deps.size()) {
        if (deps.nodes() != nullptr && size_ <= most_on_stack && !deps.inferred()) [[likely]] {
            for (std::size_t i = 0; i < size_; ++i) {
                on_stack_[i] = deps.nodes()[i].get();
            }
        } else if (deps.raw() != nullptr) {
            list_ = deps.raw();
        } else {
            gather(deps.nodes(), deps.gathered(), deps.inferred(), deps.where());
        }
    }
    raw_dependencies(const raw_dependencies&) = delete;
    raw_dependencies& operator=(const raw_dependencies&) = delete;
    [[gnu::always_inline]] ~raw_dependencies() {
        if (on_heap_ != nullptr) [[unlikely]] {
            delete[] on_heap_;
        }
    }

    [[nodiscard]] std::span<const CUgraphNode> list() const noexcept { return {list_, size_}; }

private:
    static constexpr std::size_t most_on_stack = 16;

    [[gnu::noinline]] void gather(const node* nodes, const node_parts* gathered, bool inferred, source_line where) {
        if (inferred) {
            broken_rule("inferred", "inferred dependencies need a graph that checks", where);
        }
        CUgraphNode* to = on_stack_;
        if (size_ > most_on_stack) {
            list_ = to = on_heap_ = new CUgraphNode[size_];
        }
        for (std::size_t i = 0; i < size_; ++i) {
            to[i] = nodes != nullptr ? nodes[i].get() : gathered[i].handle;
        }
    }

    const CUgraphNode* list_;
    std::size_t size_;
    CUgraphNode* on_heap_ = nullptr;
    CUgraphNode on_stack_[most_on_stack];  // only the first size_ are set
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
