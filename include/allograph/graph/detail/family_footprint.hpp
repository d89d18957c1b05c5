#pragma once

#include <allograph/graph/detail/ledger.hpp>
#include <allograph/graph/detail/memory_guard.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// What the chunks of a moved child are to its parent: one block, of so many chunks and one more (rule M6). Later
/// children, and allocations of the parent, take its room where they are ordered after the child and fit.
struct child_block {
    int ordinal;
    std::uint64_t bytes;
    std::uint32_t node;      // the last child in it
    std::uint64_t base = 0;  // unknown until an allocation of the parent shows it
};

template <class Ledger, class Blocks>
void add_child_blocks(Ledger& books, Ledger& child, Blocks& blocks, source_line where) {
    const memory_footprint inside = family_footprint(child, where);
    for (int ordinal = 0; ordinal < memory_footprint::most_devices; ++ordinal) {
        if (inside.on(device{ordinal}) == 0) {
            continue;
        }
        const std::uint64_t bytes = inside.on(device{ordinal}) + chunk_bytes(device{ordinal}, where);
        child_block* best = nullptr;
        for (child_block& each : blocks) {
            if (each.ordinal == ordinal && each.base == 0 && each.bytes >= bytes &&
                (best == nullptr || each.bytes < best->bytes) && books.model.precedes(each.node, child.holder())) {
                best = &each;
            }
        }
        if (best != nullptr) {
            best->node = child.holder();
        } else {
            blocks.push_back({ordinal, bytes, child.holder()});
        }
    }
}

/// True where an allocation lies in a block, or is the first to.
template <class Ledger, class Blocks>
bool in_a_block(Ledger& books, std::uint32_t allocation, Blocks& blocks) {
    const std::uint64_t address = books.model.address_of(allocation);
    child_block* best = nullptr;
    for (child_block& each : blocks) {
        if (each.ordinal != books.model.device_of(allocation)) {
            continue;
        }
        if (each.base != 0 && address >= each.base && address < each.base + each.bytes) {
            return true;
        }
        if (each.base == 0 && each.bytes >= books.model.bytes_of(allocation) && (best == nullptr || each.bytes < best->bytes) &&
            books.model.precedes(each.node, books.model.made_by(allocation))) {
            best = &each;
        }
    }
    for (std::uint32_t i = 0; best != nullptr && i < allocation; ++i) {
        const std::uint64_t other = books.model.address_of(i);
        if (address < other + books.model.bytes_of(i) && other < address + books.model.bytes_of(allocation)) {
            return false;  // it took the room of an earlier allocation instead
        }
    }
    if (best != nullptr) {
        best->base = address;
    }
    return best != nullptr;
}

/// What a graph takes with its moved children: its own chunks, and a block for each child.
template <class Ledger>
memory_footprint family_footprint(Ledger& books, source_line where) {
    lazy<std::vector<child_block>, Ledger> blocks;
    lazy<std::vector<std::uint32_t>, Ledger> inside;  // allocations in blocks
    auto child = books.inner.begin();
    for (std::uint32_t i = 0; i <= books.model.allocation_count(); ++i) {
        const bool last = i == books.model.allocation_count();
        for (; child != books.inner.end() && (last || (*child)->holder() < books.model.made_by(i)); ++child) {
            if (books.model.kind_of((*child)->holder()) == node_kind::child) {
                add_child_blocks(books, **child, blocks, where);
            }
        }
        if (!last && (books.model.is_imported(i) || (!blocks.empty() && in_a_block(books, i, blocks)))) {
            inside.push_back(i);
        }
    }
    memory_footprint sum = footprint_of(books.model, where, inside);
    for (const child_block& each : blocks) {
        sum.add(device{each.ordinal}, each.bytes);
    }
    return sum;
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
