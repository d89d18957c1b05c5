#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <allograph/model/detail/audit_rules.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Finds nodes that touch the same bytes of an allocation in no order, one of them writing (rule O6). Only what is known
/// exactly takes part: kernels do not, nor do rows with gaps.
class audit_races {
public:
    static constexpr std::size_t most = 8;  // findings for one allocation

    audit_races(const audit_program& program, audit_order& order, const audit_uses& found, audit_report& report)
        : program_(program), order_(order), found_(found), report_(report) {}

    void judge() {
        std::vector<piece> pieces;
        for (std::size_t i = 0; i < program_.touches.size(); ++i) {
            const audit_program::touch& t = program_.touches[i];
            const std::uint32_t a = found_.touched(i);
            if (a != audit_program::none && t.exact && !t.gaps) {
                pieces.push_back({a, {t.address, t.address + t.bytes}, t.node, t.how == audit_report::access::write});
            }
        }
        std::sort(pieces.begin(), pieces.end(), [](const piece& x, const piece& y) {
            return x.allocation != y.allocation ? x.allocation < y.allocation : x.bytes.begin < y.bytes.begin;
        });
        // Pieces that lie apart from each other are judged apart.
        for (std::size_t first = 0; first < pieces.size();) {
            std::size_t last = first;
            std::uint64_t end = pieces[first].bytes.end;
            while (last < pieces.size() && pieces[last].allocation == pieces[first].allocation &&
                   (last == first || pieces[last].bytes.begin < end)) {
                end = std::max(end, pieces[last++].bytes.end);
            }
            std::sort(pieces.begin() + static_cast<std::ptrdiff_t>(first), pieces.begin() + static_cast<std::ptrdiff_t>(last),
                      [this](const piece& x, const piece& y) { return order_.place(x.node) < order_.place(y.node); });
            judge_together(pieces, first, last);
            first = last;
        }
    }

private:
    struct piece {
        std::uint32_t allocation;
        audit_addresses::range bytes;
        std::uint32_t node;
        bool writes;
    };

    /// Whatever comes after a later write of all its bytes comes after an earlier touch: that is forgotten.
    void judge_together(const std::vector<piece>& pieces, std::size_t first, std::size_t last) {
        std::vector<piece> reads, writes;
        for (std::size_t i = first; i < last; ++i) {
            const piece& now = pieces[i];
            if (!compare(writes, now) || (now.writes && !compare(reads, now))) {
                return;
            }
            (now.writes ? writes : reads).push_back(now);
        }
    }

    /// @return false where enough was found
    bool compare(std::vector<piece>& earlier, const piece& now) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < earlier.size(); ++i) {
            const piece& each = earlier[i];
            bool passed = false;
            if (each.node != now.node && each.bytes.overlaps(now.bytes)) {
                passed = order_.before(each.node, now.node);
                if (!passed && !add(each, now)) {
                    return false;
                }
                passed = passed && now.writes && now.bytes.begin <= each.bytes.begin && each.bytes.end <= now.bytes.end;
            }
            if (!passed) {
                earlier[kept++] = each;
            }
        }
        earlier.resize(kept);
        return true;
    }

    bool add(const piece& x, const piece& y) {
        if (x.allocation != counted_) {
            counted_ = x.allocation;
            count_ = 0;
        }
        if (count_ == most) {
            report_.limits.push_back("More than " + std::to_string(most) + " races on allocation " +
                                     std::to_string(x.allocation) + ": the others are not listed.");
            ++count_;
        }
        if (count_ > most) {
            return false;
        }
        ++count_;
        std::vector<std::uint32_t> nodes{std::min(x.node, y.node), std::max(x.node, y.node)};
        report_.findings.push_back({"O6",
                                    audit_report::severity::error,
                                    audit_node_text(program_, x.node) + " and " + audit_node_text(program_, y.node) +
                                        " touch the same bytes of allocation " + std::to_string(x.allocation) +
                                        " in no order, and " + (x.writes && y.writes ? "both write" : "one writes"),
                                    "let one depend on the other",
                                    x.allocation,
                                    audit_program::none,
                                    nodes,
                                    {},
                                    {x.node, y.node}});
        return true;
    }

    const audit_program& program_;
    audit_order& order_;
    const audit_uses& found_;
    audit_report& report_;
    std::uint32_t counted_ = audit_program::none;
    std::size_t count_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
