// A thousand random graphs, right and wrong: the audit, a brute-force search and the model agree on every one.

#include <allograph/model/recorder.hpp>

#include "audit_programs.hpp"

namespace {

using audit_test::facts;

/// What an audit says, in the words of `facts::mistakes`.
std::set<std::string> words_of(const ag::audit_report& report, const facts& truth) {
    std::map<CUgraphNode, int> number;
    for (std::size_t n = 0; n < truth.nodes.size(); ++n) {
        number[truth.nodes[n].handle] = static_cast<int>(n);
    }
    const auto node = [&](std::uint32_t v) { return number.at(report.nodes[v].handle); };
    std::map<int, int> made_by;
    for (std::size_t a = 0; a < truth.allocations.size(); ++a) {
        made_by[truth.allocations[a].node] = static_cast<int>(a);
    }
    std::set<std::string> found;
    for (const ag::audit_report::finding& f : report.findings) {
        const std::string rule = f.rule;
        const std::string of = f.allocation == ag::audit_report::none
                                   ? ""
                                   : " a" + std::to_string(made_by.at(node(report.allocations[f.allocation].allocated_by)));
        if (rule == "O1" || rule == "O2" || rule == "O3" || rule == "O5") {
            for (const ag::audit_report::use& u : report.allocations[f.allocation].uses) {
                if (std::binary_search(f.nodes.begin(), f.nodes.end(), u.node)) {
                    found.insert(rule + (rule == "O1" ? "" : of) + " n" + std::to_string(node(u.node)));
                }
            }
        } else if (rule == "X6") {
            found.insert(rule + " n" + std::to_string(node(f.nodes.at(0))));
        } else {
            found.insert(rule + of);
        }
    }
    return found;
}

/// Each race that an audit names is one, and each path that it shows is there, or missing.
void check_details(const ag::audit_report& report, const facts& truth) {
    std::map<CUgraphNode, int> number;
    for (std::size_t n = 0; n < truth.nodes.size(); ++n) {
        number[truth.nodes[n].handle] = static_cast<int>(n);
    }
    const auto node = [&](std::uint32_t v) { return number.at(report.nodes[v].handle); };
    for (const ag::audit_report::finding& f : report.findings) {
        if (!f.missing.empty()) {
            CHECK_FALSE(truth.before(node(f.missing[0]), node(f.missing[1])));
        }
        if (std::string(f.rule) == "O2") {
            REQUIRE(f.path.size() >= 2);
            CHECK(f.path.front() == report.allocations[f.allocation].freed_by);
            CHECK(truth.before(node(f.path.front()), node(f.path.back())));
        }
        if (std::string(f.rule) == "O6") {
            bool race = false;
            for (const facts::touch& x : truth.touches) {
                for (const facts::touch& y : truth.touches) {
                    race = race || (x.node == node(f.nodes.at(0)) && y.node == node(f.nodes.at(1)) && truth.is_race(x, y));
                }
            }
            CHECK(race);
        }
        if (f.overlaps != ag::audit_report::none) {
            CHECK(f.message.find("[X9]") != std::string::npos);
            const auto& freed = report.allocations[f.allocation];
            const auto& later = report.allocations[f.overlaps];
            CHECK(later.address < freed.address + freed.bytes);
            CHECK(freed.address < later.address + later.bytes);
            CHECK(truth.before(node(freed.freed_by), node(later.allocated_by)));
        }
    }
}

/// The model's answer to the same program, added a node at a time with the frees as late as they go: the rules of order
/// that it finds broken, by allocation.
struct answer {
    std::set<int> disordered;
    std::set<int> racing;
    std::set<int> fateless;
};

answer ask_model(const facts& truth) {
    std::vector<int> outer;
    for (int n = 0; n < static_cast<int>(truth.nodes.size()); ++n) {
        if (truth.nodes[static_cast<std::size_t>(n)].holder < 0) {
            outer.push_back(n);
        }
    }
    const auto kind = [&](int n) { return truth.nodes[static_cast<std::size_t>(n)].kind; };
    std::vector<int> order;
    std::set<int> left(outer.begin(), outer.end());
    while (!left.empty()) {
        int next = -1;
        for (const int n : left) {
            const bool ready = std::none_of(left.begin(), left.end(), [&](int other) { return truth.before(other, n); });
            if (ready && (next < 0 || (kind(next) == ag::node_kind::free && kind(n) != ag::node_kind::free))) {
                next = n;
            }
        }
        order.push_back(next);
        left.erase(next);
    }
    answer said;
    for (const bool races : {false, true}) {
        ag::recorder model(7);
        model.report_races(races);
        std::vector<ag::finding> findings;
        model.collect_into(&findings);
        std::map<int, std::uint32_t> place;
        std::map<int, std::uint32_t> known;  // allocations
        std::vector<std::string> labels(truth.allocations.size());
        for (const int n : order) {
            std::vector<ag::node> deps;
            for (const int before : order) {
                if (place.count(before) != 0 &&
                    truth.into[static_cast<std::size_t>(truth.nodes[static_cast<std::size_t>(n)].begin)].count(
                        truth.nodes[static_cast<std::size_t>(before)].end) != 0) {
                    deps.push_back(ag::detail::handle_access::make_node(truth.nodes[static_cast<std::size_t>(before)].handle, 7,
                                                                        place[before]));
                }
            }
            const ag::dependencies after(deps, "node", static_cast<unsigned>(n + 1));
            if (kind(n) == ag::node_kind::alloc) {
                std::size_t a = 0;
                while (truth.allocations[a].node != n) {
                    ++a;
                }
                labels[a] = "a" + std::to_string(a) + ".";
                known[static_cast<int>(a)] = model.allocation_count();
                const std::size_t bytes = truth.allocations[a].bytes;
                model.check_alloc(after, {bytes, bytes, 1, "byte", ag::named(labels[a].c_str())});
            } else if (const auto freed = std::find_if(truth.allocations.begin(), truth.allocations.end(),
                                                       [&](const auto& a) { return a.freed_by == n; });
                       kind(n) == ag::node_kind::free && freed != truth.allocations.end()) {
                const int a = static_cast<int>(freed - truth.allocations.begin());
                if (known.count(a) == 0) {  // a free that is a root may come first: it is not ordered after its allocation
                    if (!races) {
                        said.disordered.insert(a);
                    }
                    model.check(after, ag::node_kind::empty, nullptr, {});
                } else {
                    model.check_free(after, {ag::node(), {7, known[a]}, 0});
                }
            } else {
                std::vector<ag::memory_use> uses;
                for (const facts::touch& t : truth.touches) {
                    const int holder = truth.nodes[static_cast<std::size_t>(t.node)].holder;
                    if ((holder < 0 ? t.node : holder) != n || t.allocation < 0 || (races && t.how == '?')) {
                        continue;
                    }
                    if (known.count(t.allocation) == 0) {
                        if (!races && !truth.allocations[static_cast<std::size_t>(t.allocation)].in_body) {
                            said.disordered.insert(t.allocation);
                        }
                        continue;
                    }
                    const ag::memory_use use{{7, known[t.allocation]}, t.how == 'r' ? ag::access::read : ag::access::write};
                    const auto same = std::find_if(uses.begin(), uses.end(),
                                                   [&](const ag::memory_use& u) { return u.allocation == use.allocation; });
                    if (same == uses.end()) {
                        uses.push_back(use);
                    } else if (use.how == ag::access::write) {
                        same->how = ag::access::write;
                    }
                }
                model.check(after, kind(n), nullptr, uses);
            }
            place[n] = model.commit(truth.nodes[static_cast<std::size_t>(n)].handle);
        }
        for (const ag::finding& f : findings) {
            const std::string rule = f.rule;
            const std::size_t at = f.text.find("'a");
            REQUIRE(at != std::string::npos);
            const int a = std::stoi(f.text.substr(at + 2));
            if (races) {
                if (rule == "O6") {
                    said.racing.insert(a);
                }
            } else {
                CHECK((rule == "O1" || rule == "O2" || rule == "O3" || rule == "O4"));
                said.disordered.insert(a);
            }
        }
        for (const auto& [a, number] : known) {
            if (model.fate_of(number) == ag::allocation_fate::none &&
                truth.allocations[static_cast<std::size_t>(a)].freed_by < 0) {
                said.fateless.insert(a);
            }
        }
    }
    return said;
}

answer said_by(const std::set<std::string>& words, const facts& truth) {
    answer said;
    for (const std::string& word : words) {
        const std::size_t at = word.find(" a");
        const int a = at == std::string::npos ? -1 : std::stoi(word.substr(at + 2));
        if (word.rfind("O1", 0) == 0) {
            const int n = std::stoi(word.substr(word.find(" n") + 2));
            for (const facts::touch& t : truth.touches) {
                if (t.node == n && t.allocation >= 0 && !truth.allocations[static_cast<std::size_t>(t.allocation)].in_body &&
                    !truth.before(truth.allocations[static_cast<std::size_t>(t.allocation)].node, n)) {
                    said.disordered.insert(t.allocation);
                }
            }
        } else if (word.rfind("O6", 0) == 0) {
            said.racing.insert(a);
        } else if (word.rfind("F10", 0) == 0) {
            said.fateless.insert(a);
        } else if (word[0] == 'O' && word[1] != '5') {
            said.disordered.insert(a);
        }
    }
    return said;
}

std::string list(const std::set<std::string>& words) {
    std::string all;
    for (const std::string& each : words) {
        all += each + "; ";
    }
    return all;
}

}  // namespace

TEST_CASE("a thousand random graphs: audit, brute force and model agree", "[audit][O1][O2][O3][O4][O6][F10][C8][C9][X9]") {
    std::map<std::string, int> broken;
    int graphs = 0, right = 0, ambiguous = 0, nodes = 0, reused = 0, pictured = 0;
    for (int seed = 1; graphs < 1000; ++seed) {
        const unsigned faults = seed % 2 == 0 ? 0 : 1 + static_cast<unsigned>(seed) % 12;
        const bool parts = seed % 4 >= 2;
        audit_test::builder program(static_cast<std::uint64_t>(seed), faults, parts);
        program.run(12 + seed % 40);
        const facts& truth = program.truth;
        if (std::any_of(truth.touches.begin(), truth.touches.end(), [](const facts::touch& t) { return t.ambiguous; })) {
            ++ambiguous;  // an address that two allocations have, neither ordered before its user: nobody can tell which is meant
            continue;
        }
        ++graphs;
        nodes += static_cast<int>(truth.nodes.size());
        ag::audit_options options;
        options.bodies = program.bodies;
        const ag::audit_report report = ag::audit(program.graph(), options);
        REQUIRE(report.nodes.size() == truth.nodes.size());
        if (!program.bodies.empty()) {
            REQUIRE(ag::audit(program.graph()).json() == report.json());  // the driver's picture shows the bodies as well
            pictured += static_cast<int>(program.bodies.size());
        }

        const std::set<std::string> expected = truth.mistakes();
        const std::set<std::string> seen = words_of(report, truth);
        INFO("seed " << seed << "\nexpected " << list(expected) << "\nseen     " << list(seen));
        REQUIRE(seen == expected);
        check_details(report, truth);

        const answer model = ask_model(truth);
        const answer audit = said_by(seen, truth);
        CHECK(model.disordered == audit.disordered);
        CHECK(model.fateless == audit.fateless);
        if (!parts) {
            // A use that breaks another rule is left out of the model: its races are not asked for.
            for (const int a : audit.racing) {
                CHECK((model.racing.count(a) != 0 || audit.disordered.count(a) != 0));
            }
            for (const int a : model.racing) {
                CHECK(audit.racing.count(a) != 0);
            }
        }
        if (faults == 0) {
            CHECK(report.clean());
        }
        CHECK(report.memory.lower_bound <= report.memory.planned);

        right += report.clean() ? 1 : 0;
        std::set<std::uint64_t> addresses;
        for (const facts::allocation& a : truth.allocations) {
            reused += addresses.insert(a.address).second ? 0 : 1;
        }
        for (const std::string& word : seen) {
            ++broken[word.substr(0, word.find(' '))];
        }
        for (const auto& f : report.findings) {
            broken["X9"] += f.overlaps != ag::audit_report::none ? 1 : 0;
        }
    }
    std::string tally;
    for (const auto& [rule, count] : broken) {
        tally += " " + rule + " " + std::to_string(count);
    }
    WARN("1000 graphs, " << nodes << " nodes, " << reused << " allocations at an address used before; clean " << right
                         << ", broken:" << tally << "; bodies found in pictures " << pictured << "; left out " << ambiguous);
    CHECK(right > 300);
    CHECK(reused > 500);
    CHECK(pictured > 200);
    for (const char* rule : {"O1", "O2", "O3", "O4", "O6", "F10", "C8", "X6", "X9"}) {
        CHECK(broken[rule] >= 10);
    }
}
