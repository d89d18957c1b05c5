#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <allograph/model/misuse.hpp>
#include <allograph/model/node.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

// Templates, so that a file that includes them and makes no mistake pays for their text alone.

/// The text of a diagnostic: a headline, a row for each line of the program that is involved, and the fix.
template <class>
class basic_message {
public:
    /// @param at  the call that breaks the rule
    basic_message(std::string headline, source_line at) : headline_(static_cast<std::string&&>(headline)), at_(at) {}

    [[nodiscard]] source_line at() const noexcept { return at_; }

    basic_message& row(const char* verb, source_line where, std::string text = {}) {
        rows_.push_back({verb, where.known() ? line_text(where) : std::string("(unknown)"), static_cast<std::string&&>(text)});
        return *this;
    }
    basic_message& note(std::string text) {
        rows_.push_back({"note:", {}, static_cast<std::string&&>(text)});
        return *this;
    }
    [[nodiscard]] std::string text(const std::string& fix) const {
        std::size_t width = 0;
        for (const entry& r : rows_) {
            width = r.place.size() > width ? r.place.size() : width;
        }
        std::string all = headline_;
        for (const entry& r : rows_) {
            all += "\n  " + r.verb + std::string(r.verb.size() < 11 ? 11 - r.verb.size() : 1, ' ') + r.place;
            if (!r.text.empty()) {
                all += r.place.empty() ? r.text : std::string(width - r.place.size() + 3, ' ') + r.text;
            }
        }
        return all + "\n  fix: " + fix;
    }

private:
    struct entry {
        std::string verb;
        std::string place;
        std::string text;
    };
    std::string headline_;
    source_line at_;
    std::vector<entry> rows_;
};
using message_text = basic_message<void>;

/// "4 MiB", "1.5 KiB", "100 bytes".
template <class = void>
std::string bytes_text(std::uint64_t bytes) {
    constexpr const char* units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    std::size_t unit = 0;
    std::uint64_t size = 1;
    while (bytes / size >= 1024) {
        size *= 1024;
        ++unit;
    }
    const std::uint64_t tenths = size == 1 ? 0 : bytes % size / (size / 1024) * 10 / 1024;
    std::string text = std::to_string(bytes / size);
    if (tenths != 0) {
        text += '.';
        text += std::to_string(tenths);
    }
    return text += units[unit];
}

inline const char* kind_text(node_kind kind) noexcept {
    switch (kind) {
    case node_kind::alloc:
        return "allocation";
    case node_kind::free:
        return "free";
    case node_kind::memset:
        return "memset";
    case node_kind::memcpy:
        return "memcpy";
    case node_kind::kernel:
        return "kernel";
    case node_kind::host:
        return "host function";
    case node_kind::empty:
        return "empty node";
    case node_kind::child:
        return "child graph";
    case node_kind::conditional:
        return "conditional";
    case node_kind::event_record:
        return "event record";
    case node_kind::event_wait:
        return "event wait";
    case node_kind::semaphore_signal:
        return "semaphore signal";
    case node_kind::semaphore_wait:
        return "semaphore wait";
    case node_kind::batch_mem_op:
        return "batch of memory operations";
    case node_kind::captured:
        return "captured work";
    }
    return "node";
}

/// "kernel 'saxpy'", "memset".
template <class = void>
std::string node_text(node_kind kind, const char* name) {
    std::string text = kind_text(kind);
    if (name != nullptr && *name != '\0') {
        text += std::string(" '") + name + "'";
    }
    return text;
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
