#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <allograph/detail/lazy.hpp>
#include <allograph/model/detail/allocation_record.hpp>
#include <allograph/model/detail/growing.hpp>
#include <allograph/model/detail/reachability.hpp>

struct CUgraphNode_st;

namespace allograph {
inline namespace v0 {
namespace detail {

struct node_record {
    CUgraphNode_st* handle;
    std::uint32_t line : 20;
    std::uint32_t file : 8;
    std::uint32_t kind : 4;
    std::uint32_t name;  // of a kernel, or the label of an allocation
};

/// What a recorder knows of nodes, edges, allocations and uses.
///
/// A thread keeps the room of the largest recorder that it destroyed, for the next that it makes: first touches of
/// fresh pages are more than half of what recording a node costs, and programs build their graphs again and again.
template <class Lazy>
struct basic_recorder_storage {
    lazy<std::vector<const char*>, Lazy> files_{""};
    lazy<std::vector<element_type>, Lazy> types_;
    lazy<std::vector<const char*>, Lazy> names_{nullptr};
    growing<allocation_extent> extents_;
    // From here to the pending node in the recorder: what every node needs, side by side.
    basic_reachability<Lazy> order_;
    growing<node_record> nodes_;
    growing<allocation_record> allocations_;
    growing<use_record> uses_;          // all but the latest of an allocation
    growing<CUgraphNode_st*> handles_;  // of the pending dependencies
    growing<pending_use> pending_;      // uses of the pending node
    std::uint32_t use_count_ = 0;
    std::uint32_t allocation_count_ = 0;

    basic_recorder_storage() = default;
    basic_recorder_storage(basic_recorder_storage&&) noexcept = default;
    basic_recorder_storage& operator=(basic_recorder_storage&&) noexcept = default;
    basic_recorder_storage(const basic_recorder_storage& other)
        : files_(other.files_), types_(other.types_), names_(other.names_), extents_(other.extents_, other.allocation_count_),
          order_(other.order_), nodes_(other.nodes_, other.order_.size()),
          allocations_(other.allocations_, other.allocation_count_), uses_(other.uses_, other.use_count_),
          use_count_(other.use_count_), allocation_count_(other.allocation_count_) {}

    /// Storage for a new recorder, with the room that the thread kept.
    static basic_recorder_storage take() {
        basic_recorder_storage taken;
        if (!thread_ends()) {
            std::swap(taken, kept());
        }
        return taken;
    }
    /// Keeps the room of a recorder that is destroyed.
    static void give(basic_recorder_storage& used) noexcept {
        constexpr std::size_t most_nodes = 1u << 17;  // some 8 MiB
        const std::size_t room = used.nodes_.capacity();
        if (!thread_ends() && room <= most_nodes && room > kept().nodes_.capacity()) {
            used.clear();
            std::swap(used, kept());
        }
    }

private:
    struct keeper;

    void clear() noexcept {
        order_.clear();
        use_count_ = 0;
        allocation_count_ = 0;
        files_.resize(1);
        types_.clear();
        names_.resize(1);
    }
    static basic_recorder_storage& kept();
    /// Graphs with static storage may be destroyed after what the thread keeps.
    static bool& thread_ends() noexcept {
        thread_local bool ends = false;
        return ends;
    }
};

template <class Lazy>
struct basic_recorder_storage<Lazy>::keeper {
    basic_recorder_storage storage;
    ~keeper() { thread_ends() = true; }
};
template <class Lazy>
basic_recorder_storage<Lazy>& basic_recorder_storage<Lazy>::kept() {
    thread_local keeper mine;
    return mine.storage;
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
