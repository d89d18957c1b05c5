// Strict mode: what a graph gets wrong while every call answers CUDA_SUCCESS.
#include <algorithm>
#include <cstring>

#include "exec.hpp"
#include "placement.hpp"

namespace allograph_reference {
namespace {

struct use {
    std::size_t by = 0;
    const allocation* memory = nullptr;
    bool writes = false;
};

// Who is ordered before whom, one bit row a node.
class order {
public:
    explicit order(const graph& which) : words_((which.nodes.size() + 63) / 64), rows_(which.nodes.size() * words_) {
        for (std::size_t index = 0; index < which.nodes.size(); ++index)
            places_.emplace(which.nodes[index].get(), index);
        std::vector<bool> done(which.nodes.size());
        for (std::size_t index = 0; index < which.nodes.size(); ++index)
            visit(which, index, done);
    }
    [[nodiscard]] bool before(std::size_t first, std::size_t second) const {
        return (rows_[second * words_ + first / 64] >> (first % 64) & 1U) != 0;
    }
    [[nodiscard]] std::size_t place(const node* which) const { return places_.at(which); }

private:
    void visit(const graph& which, std::size_t start, std::vector<bool>& done) {
        std::vector<std::size_t> open{start};
        while (!open.empty()) {
            const std::size_t at = open.back();
            bool waiting = false;
            for (const dependency& each : which.nodes[at]->dependencies)
                if (const std::size_t from = places_.at(each.from); !done[from]) {
                    open.push_back(from);
                    waiting = true;
                }
            if (waiting)
                continue;
            open.pop_back();
            if (done[at])
                continue;
            for (const dependency& each : which.nodes[at]->dependencies) {
                const std::size_t from = places_.at(each.from);
                for (std::size_t word = 0; word < words_; ++word)
                    rows_[at * words_ + word] |= rows_[from * words_ + word];
                rows_[at * words_ + from / 64] |= std::uint64_t{1} << (from % 64);
            }
            done[at] = true;
        }
    }
    std::size_t words_;
    std::vector<std::uint64_t> rows_;
    std::unordered_map<const node*, std::size_t> places_;
};

struct span {
    std::uint64_t address;
    std::uint64_t bytes;
    bool writes;
};

// What a node touches, as far as its parameters say: for a kernel, each parameter of 8 bytes that holds a device address.
void spans_of(const node& which, std::vector<span>& result, int depth) {
    if (const auto* set = std::get_if<memset_data>(&which.data)) {
        const touched_range range = touched_by(set->set);
        result.push_back({range.address, range.bytes, true});
    } else if (const auto* copy = std::get_if<memcpy_data>(&which.data)) {
        for (const touched_range& range : touched_by(copy->copy))
            result.push_back({range.address, range.bytes, range.writes});
    } else if (const auto* kernel = std::get_if<kernel_data>(&which.data)) {
        const kernel_code& code = *kernel->code->code;
        for (std::size_t index = 0; index < code.sizes.size(); ++index) {
            std::uint64_t value = 0;
            if (code.sizes[index] != sizeof value)
                continue;
            std::memcpy(&value, kernel->values.data() + code.offsets[index], sizeof value);
            if (is_device_address(value))
                result.push_back({value, 1, !code.read_only[index]});
        }
    }
    // A child's and a body's uses count for the node that holds it [C9].
    if (depth == 0)
        return;
    const auto inner = [&](const graph& held) {
        for (const auto& each : held.nodes)
            spans_of(*each, result, depth - 1);
    };
    if (const auto* child = std::get_if<child_data>(&which.data))
        inner(*child->child);
    if (const auto* conditional = std::get_if<conditional_data>(&which.data))
        for (const auto& body : conditional->bodies)
            inner(*body);
}

std::string name_of(const graph& which, std::size_t index) {
    const node& each = *which.nodes[index];
    std::string text = "node " + std::to_string(index);
    if (const auto* kernel = std::get_if<kernel_data>(&each.data))
        text += " (kernel '" + kernel->code->code->name + "')";
    else if (std::holds_alternative<memset_data>(each.data))
        text += " (memset)";
    else if (std::holds_alternative<memcpy_data>(each.data))
        text += " (memcpy)";
    return text;
}

struct own_memory {
    std::size_t made_by = 0;
    const allocation* memory = nullptr;
    bool freed = false;
    std::size_t freed_by = 0;
};

}  // namespace

void check_strictly(const graph& which) {
    constexpr std::size_t most = 20000;  // a bit row a node beyond that takes too much memory
    if (which.nodes.size() > most) {
        report("[strict] the graph has more than 20000 nodes and was not looked at");
        return;
    }
    const order known(which);
    std::vector<own_memory> own;
    for (std::size_t index = 0; index < which.nodes.size(); ++index)
        if (const auto* allocates = std::get_if<alloc_data>(&which.nodes[index]->data))
            own.push_back({index, allocates->memory.get(), false, 0});
    for (std::size_t index = 0; index < which.nodes.size(); ++index) {
        const auto* frees = std::get_if<free_data>(&which.nodes[index]->data);
        if (frees == nullptr)
            continue;
        for (own_memory& each : own) {
            if (each.memory != frees->memory.get())
                continue;
            each.freed = true;
            each.freed_by = index;
            if (!known.before(each.made_by, index))
                report("[O4] the free, node " + std::to_string(index) + ", is not ordered after the allocation, node " +
                       std::to_string(each.made_by));
        }
    }

    std::vector<use> uses;
    for (std::size_t index = 0; index < which.nodes.size(); ++index) {
        std::vector<span> spans;
        spans_of(*which.nodes[index], spans, 16);
        for (const span& touched : spans) {
            // Several allocations of a graph may share an address [A12]: the node means one that it is in order with, if there is
            // one.
            const own_memory* meant = nullptr;
            bool in_order = false;
            bool after_free = false;
            for (const own_memory& each : own) {
                if (touched.address < each.memory->address || touched.address - each.memory->address >= each.memory->bytes)
                    continue;
                const bool late = each.freed && known.before(each.freed_by, index);
                const bool good =
                    known.before(each.made_by, index) && !late && (!each.freed || known.before(index, each.freed_by));
                if (meant == nullptr || (good && !in_order)) {
                    meant = &each;
                    in_order = good;
                }
                after_free = after_free || late;
            }
            if (meant == nullptr)
                continue;
            uses.push_back({index, meant->memory, touched.writes});
            if (in_order)
                continue;
            const std::string about = " of the allocation made by node " + std::to_string(meant->made_by);
            if (after_free) {
                report("[O2] " + name_of(which, index) + " is ordered after the free" + about);
                for (const own_memory& each : own)
                    if (&each != meant && each.memory->address < meant->memory->address + meant->memory->bytes &&
                        meant->memory->address < each.memory->address + each.memory->bytes && !known.before(index, each.made_by))
                        report("[X9] " + name_of(which, index) + " touches memory that belongs to the allocation made by node " +
                               std::to_string(each.made_by) + " by then");
                continue;
            }
            if (!known.before(meant->made_by, index)) {
                report("[O1] " + name_of(which, index) + " is not ordered after the allocation made by node " +
                       std::to_string(meant->made_by));
                continue;
            }
            report("[O3] the free, node " + std::to_string(meant->freed_by) + ", is not ordered after " + name_of(which, index) +
                   ", a user" + about);
            for (const own_memory& each : own)
                if (&each != meant && each.memory->address < meant->memory->address + meant->memory->bytes &&
                    meant->memory->address < each.memory->address + each.memory->bytes &&
                    known.before(meant->freed_by, each.made_by))
                    report("[X9] " + name_of(which, index) + " may touch memory that belongs to the allocation made by node " +
                           std::to_string(each.made_by) + " by then");
        }
    }
    std::map<const allocation*, std::vector<use>> by_memory;
    for (const use& each : uses)
        by_memory[each.memory].push_back(each);
    for (const auto& [memory, list] : by_memory)
        for (std::size_t first = 0; first < list.size(); ++first)
            for (std::size_t second = first + 1; second < list.size(); ++second) {
                const use& one = list[first];
                const use& two = list[second];
                if (one.by == two.by || (!one.writes && !two.writes) || known.before(one.by, two.by) ||
                    known.before(two.by, one.by))
                    continue;
                report("[O6] " + name_of(which, one.by) + " and " + name_of(which, two.by) +
                       " touch the same allocation in no order, and one writes");
            }
    for (const auto& each : which.nodes)
        if (const auto* child = std::get_if<child_data>(&each->data))
            check_strictly(*child->child);
}

}  // namespace allograph_reference
