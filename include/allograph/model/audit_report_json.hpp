#pragma once

#include <allograph/model/audit_report.hpp>
#include <allograph/version.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// How machines are told a kind of node.
inline const char* kind_id(node_kind kind) noexcept {
    switch (kind) {
    case node_kind::alloc:
        return "alloc";
    case node_kind::free:
        return "free";
    case node_kind::memset:
        return "memset";
    case node_kind::memcpy:
        return "memcpy";
    case node_kind::kernel:
        return "kernel";
    case node_kind::host:
        return "host";
    case node_kind::empty:
        return "empty";
    case node_kind::child:
        return "child";
    case node_kind::conditional:
        return "conditional";
    case node_kind::event_record:
        return "event_record";
    case node_kind::event_wait:
        return "event_wait";
    case node_kind::semaphore_signal:
        return "semaphore_signal";
    case node_kind::semaphore_wait:
        return "semaphore_wait";
    case node_kind::batch_mem_op:
        return "batch_mem_op";
    }
    return "unknown";
}

inline const char* access_id(audit_report::access how) noexcept {
    return how == audit_report::access::read ? "read" : how == audit_report::access::write ? "write" : "unknown";
}

inline std::string hex_text(std::uint64_t value) {
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
        value >>= 4;
    } while (value != 0);
    return "0x" + digits;
}

/// A JSON string in ASCII, with nothing that could end an HTML element around it. Kernel names may hold any bytes: what
/// is no UTF-8 becomes U+FFFD.
inline std::string json_string(const std::string& text) {
    const auto unit = [](std::uint32_t u) {
        std::string escape = "\\u0000";
        for (std::size_t i = 5; u != 0; --i, u >>= 4) {
            escape[i] = "0123456789abcdef"[u & 15];
        }
        return escape;
    };
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t size = lead < 0x80                   ? 1
                                 : lead >= 0xC2 && lead < 0xE0 ? 2
                                 : lead >= 0xE0 && lead < 0xF0 ? 3
                                 : lead >= 0xF0 && lead < 0xF5 ? 4
                                                               : 0;
        std::uint32_t point = size == 1 ? lead : size == 0 ? 0xFFFD : lead & (0x7Fu >> size);
        bool whole = size != 0 && i + size <= text.size();
        for (std::size_t k = 1; whole && k < size; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            whole = (next & 0xC0) == 0x80;
            point = point << 6 | (next & 0x3Fu);
        }
        whole = whole && !(size == 3 && (point < 0x800 || (point >= 0xD800 && point < 0xE000))) &&
                !(size == 4 && (point < 0x10000 || point > 0x10FFFF));
        i += whole ? size : 1;
        point = whole ? point : 0xFFFD;
        if (point == '"' || point == '\\') {
            out += '\\';
            out += static_cast<char>(point);
        } else if (point >= 0x20 && point < 0x7F && point != '<' && point != '>' && point != '&') {
            out += static_cast<char>(point);
        } else if (point < 0x10000) {
            out += unit(point);
        } else {
            out += unit(0xD800 + ((point - 0x10000) >> 10)) + unit(0xDC00 + ((point - 0x10000) & 0x3FF));
        }
    }
    return out + '"';
}

/// Writes JSON, a member or element after the other.
class json_writer {
public:
    json_writer& open(char bracket) { return separate().put(bracket).fresh(); }
    json_writer& close(char bracket) {
        fresh_ = false;
        return put(bracket);
    }
    json_writer& key(const char* name) {
        separate();
        out_ += json_string(name) + ":";
        return fresh();
    }
    json_writer& value(const std::string& text) { return literal(json_string(text)); }
    json_writer& value(const char* text) { return literal(json_string(text)); }
    json_writer& value(std::uint64_t number) { return literal(std::to_string(number)); }
    json_writer& literal(const std::string& text) {
        separate();
        out_ += text;
        return *this;
    }
    /// A place in a vector, or null.
    json_writer& place(std::uint32_t index) { return literal(index == audit_report::none ? "null" : std::to_string(index)); }
    json_writer& places(const std::vector<std::uint32_t>& all) {
        open('[');
        for (const std::uint32_t each : all) {
            value(std::uint64_t{each});
        }
        return close(']');
    }
    /// Elements go on lines of their own where they are many.
    json_writer& line() {
        if (!fresh_) {
            out_ += ',';
            fresh_ = true;
        }
        out_ += '\n';
        return *this;
    }
    [[nodiscard]] std::string take() { return static_cast<std::string&&>(out_); }

private:
    json_writer& separate() {
        if (!fresh_) {
            out_ += ',';
        }
        fresh_ = false;
        return *this;
    }
    json_writer& put(char c) {
        out_ += c;
        return *this;
    }
    json_writer& fresh() {
        fresh_ = true;
        return *this;
    }

    std::string out_;
    bool fresh_ = true;
};

}  // namespace detail

inline std::string audit_report::json() const {
    const std::string version = std::to_string(ALLOGRAPH_VERSION_MAJOR) + "." + std::to_string(ALLOGRAPH_VERSION_MINOR) + "." +
                                std::to_string(ALLOGRAPH_VERSION_PATCH);
    detail::json_writer out;
    out.open('{').key("allograph").value(version).line();
    out.key("graph").open('{').key("name").value(name);
    out.key("nodes").value(std::uint64_t{nodes.size()}).key("edges").value(std::uint64_t{edges.size()}).close('}').line();
    out.key("nodes").open('[');
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const node& each = nodes[i];
        out.line().open('{').key("id").place(i).key("kind").value(detail::kind_id(each.kind)).key("name").value(each.name);
        out.key("parent").place(each.parent).key("level").value(std::uint64_t{each.level}).close('}');
    }
    out.close(']').line().key("edges").open('[');
    for (const edge& each : edges) {
        out.line().open('{').key("from").place(each.from).key("to").place(each.to);
        out.key("type").value(each.programmatic ? "programmatic" : "default").close('}');
    }
    out.close(']').line().key("allocations").open('[');
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        const allocation& each = allocations[i];
        out.line()
            .open('{')
            .key("id")
            .place(i)
            .key("address")
            .value(detail::hex_text(each.address))
            .key("bytes")
            .value(each.bytes);
        out.key("device")
            .literal(std::to_string(each.device))
            .key("allocated_by")
            .place(each.allocated_by)
            .key("freed_by")
            .place(each.freed_by);
        out.key("first_level").place(each.first_level).key("last_level").place(each.last_level).key("uses").open('[');
        for (const use& by : each.uses) {
            out.open('{').key("node").place(by.node).key("access").value(detail::access_id(by.how)).close('}');
        }
        out.close(']')
            .key("planned_offset")
            .literal(each.planned_offset == no_offset ? "null" : std::to_string(each.planned_offset))
            .close('}');
    }
    out.close(']').line().key("findings").open('[');
    for (const finding& each : findings) {
        out.line()
            .open('{')
            .key("rule")
            .value(each.rule)
            .key("severity")
            .value(each.severity == severity::error ? "error" : "note");
        out.key("message").value(each.message).key("fix").value(each.fix).key("allocation").place(each.allocation);
        out.key("overlaps").place(each.overlaps).key("nodes").places(each.nodes).key("path").places(each.path);
        out.key("missing").places(each.missing).close('}');
    }
    out.close(']').line().key("footprint").open('{').key("chunk").value(memory.chunk).key("driver").value(memory.driver);
    out.key("planned").value(memory.planned).key("lower_bound").value(memory.lower_bound).close('}').line();
    out.key("limits").open('[');
    for (const std::string& each : limits) {
        out.value(each);
    }
    out.close(']').close('}');
    return out.take() + "\n";
}

}  // namespace v0
}  // namespace allograph
