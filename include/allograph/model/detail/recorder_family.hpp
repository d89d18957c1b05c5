#pragma once

// What a recorder takes over from the graph of a moved child.

#include <allograph/model/recorder.hpp>

namespace allograph {
inline namespace v0 {

template <class Lazy>
void basic_recorder<Lazy>::reserve_imports(const basic_recorder& child) {
    std::size_t left = 0;
    for (std::uint32_t i = 0; i < child.allocation_count_; ++i) {
        left += child.allocations_[i].freed_by == 0 ? 1u : 0u;
    }
    if (left != 0) {
        reserve_allocations(left);
        imports_.reserve(imports_.size() + left);
        types_.reserve(types_.size() + child.types_.size() + 1);
    }
}

template <class Lazy>
void basic_recorder<Lazy>::commit_imports(const basic_recorder& child, std::uint32_t child_node) noexcept {
    for (std::uint32_t i = 0; i < child.allocation_count_; ++i) {
        const allocation_record& there = child.allocations_[i];
        if (there.freed_by != 0) {
            continue;
        }
        const imported* const from = child.import_of(there);
        const detail::element_type& type = child.types_[there.type];
        const detail::allocation_extent& extent = child.extents_[i];
        const std::size_t count = type.bytes == 0 ? 0 : extent.bytes / type.bytes;
        imports_.push_back({from != nullptr ? from->origin : allocation_ref{child.id_, i}, allocation_count_,
                            child.label_of(there), child.made_at(there)});
        extents_[allocation_count_] = extent;
        allocation_record& here = allocations_[allocation_count_++];
        here = there;
        here.made_by = child_node + 1;
        here.witness = 0;
        here.writes = here.reads = {};
        here.type = new_type({extent.bytes, count, 1, {type.name, type.name_size}, {}});
        fateless_ += here.end == allocation_fate::none ? 1u : 0u;
    }
}

}  // namespace v0
}  // namespace allograph
