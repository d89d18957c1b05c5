#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// A maximum flow by shortest augmenting levels (Dinic), without recursion, with a limit on work.
class max_flow {
public:
    static constexpr std::uint64_t unlimited = UINT64_MAX / 4;

    explicit max_flow(std::size_t nodes, std::size_t arcs) : first_(nodes, none) {
        head_.reserve(2 * arcs);
        next_.reserve(2 * arcs);
        room_.reserve(2 * arcs);
    }

    void add_arc(std::uint32_t from, std::uint32_t to, std::uint64_t capacity) {
        add_half(from, to, capacity);
        add_half(to, from, 0);
    }

    /// @param max_work  arcs to look at before giving up
    /// @return whether the flow is maximum
    bool run(std::uint32_t source, std::uint32_t sink, std::uint64_t max_work) {
        source_ = source;
        sink_ = sink;
        work_ = 0;
        max_work_ = max_work;
        while (level_nodes()) {
            cursor_ = first_;
            block();
            if (work_ > max_work_) {
                return false;
            }
        }
        return work_ <= max_work_;
    }

    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
    /// After a maximum flow: the node is on the source's side of a minimum cut.
    [[nodiscard]] bool on_source_side(std::uint32_t node) const noexcept { return level_[node] != none; }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    void add_half(std::uint32_t from, std::uint32_t to, std::uint64_t capacity) {
        next_.push_back(first_[from]);
        first_[from] = static_cast<std::uint32_t>(head_.size());
        head_.push_back(to);
        room_.push_back(capacity);
    }

    bool level_nodes() {
        level_.assign(first_.size(), none);
        queue_.clear();
        queue_.push_back(source_);
        level_[source_] = 0;
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            const std::uint32_t v = queue_[i];
            for (std::uint32_t a = first_[v]; a != none; a = next_[a]) {
                ++work_;
                if (room_[a] != 0 && level_[head_[a]] == none) {
                    level_[head_[a]] = level_[v] + 1;
                    queue_.push_back(head_[a]);
                }
            }
            if (work_ > max_work_) {
                return false;
            }
        }
        return level_[sink_] != none;
    }

    /// Sends all that fits along the levels. After each push the walk goes on from where the path filled up.
    void block() {
        path_.clear();
        std::uint32_t v = source_;
        while (true) {
            if (v == sink_) {
                std::uint64_t amount = unlimited;
                for (const std::uint32_t a : path_) {
                    amount = std::min(amount, room_[a]);
                }
                std::size_t keep = path_.size();
                for (std::size_t i = path_.size(); i-- > 0;) {
                    room_[path_[i]] -= amount;
                    room_[path_[i] ^ 1U] += amount;
                    keep = room_[path_[i]] == 0 ? i : keep;
                }
                work_ += path_.size();
                value_ += amount;
                path_.resize(keep);
                v = path_.empty() ? source_ : head_[path_.back()];
            }
            std::uint32_t& a = cursor_[v];
            while (a != none && !(room_[a] != 0 && level_[head_[a]] == level_[v] + 1)) {
                a = next_[a];
                ++work_;
            }
            if (a != none) {
                path_.push_back(a);
                v = head_[a];
            } else {
                level_[v] = none;
                if (v == source_ || work_ > max_work_) {
                    return;
                }
                v = head_[path_.back() ^ 1U];
                path_.pop_back();
            }
        }
    }

    std::vector<std::uint32_t> first_, head_, next_, cursor_, level_, queue_, path_;
    std::vector<std::uint64_t> room_;
    std::uint32_t source_ = 0, sink_ = 0;
    std::uint64_t value_ = 0, work_ = 0, max_work_ = 0;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
