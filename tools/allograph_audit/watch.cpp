#include "watch.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <allograph/audit.hpp>
#include <allograph/graph/audit_html.hpp>

#include "folder.hpp"

namespace allograph_audit {
namespace {

using allograph::audit_report;

struct settings {
    folder where;
    unsigned long graphs = number("ALLOGRAPH_AUDIT_GRAPHS", 1000);     ///< audited in a process
    unsigned long nodes = number("ALLOGRAPH_AUDIT_NODES", 100'000);    ///< of a graph that is audited
    unsigned long bytes = number("ALLOGRAPH_AUDIT_BYTES", 1ul << 30);  ///< of a process's reports

    static unsigned long number(const char* variable, unsigned long otherwise) noexcept {
        const char* text = std::getenv(variable);
        char* end = nullptr;
        const unsigned long value = text == nullptr ? 0 : std::strtoul(text, &end, 10);
        return end == nullptr || end == text || *end != '\0' ? otherwise : value;
    }
};

const settings& set() noexcept {
    static const settings once;
    return once;
}

// The environment is read when the process starts: it may be another one later, and reading it then may race.
[[gnu::constructor]] void read_settings() { set(); }

std::atomic<unsigned long> instantiated = 0;
std::atomic<unsigned long> written_bytes = 0;
std::atomic<bool> full = false;           // no more reports of this process
thread_local bool inside = false;         // this library's own work
thread_local bool instantiating = false;  // in the driver: one of these functions may call another

std::mutex lock;

/// The graphs inside of conditional nodes, which drivers before CUDA 13.2 give only when the node is added.
std::unordered_map<CUgraphNode, std::vector<CUgraph>>& conditional_bodies() {
    static auto& all = *new std::unordered_map<CUgraphNode, std::vector<CUgraph>>;  // stays: threads may go on at exit
    return all;
}

/// An executable with allocations that nothing in its graph frees: right only if somebody else does, before it is launched
/// again.
struct unfreed {
    std::string name;  ///< of the report's files
    audit_report report;
    bool launched = false;
    bool told = false;
};
std::unordered_map<CUgraphExec, unfreed>& unfreed_ones() {
    static auto& all = *new std::unordered_map<CUgraphExec, unfreed>;
    return all;
}
std::atomic<bool> any_unfreed = false;  // launches of all other executables cost no lock

// What is remembered is bounded: past these, a body is not read or a note stays a note, as the report says.
constexpr std::size_t most_conditionals = 16'384;
constexpr std::size_t most_unfreed_nodes = 1'000'000;
std::size_t unfreed_nodes = 0;

/// Around the work of this library: what it calls is not watched, errno stays, and a thread that is cancelled is not
/// cancelled here, where nothing may be thrown.
class aside {
public:
    aside() noexcept : errno_(errno), entered_(!inside) {
        inside = true;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
    }
    ~aside() {
        pthread_setcancelstate(cancel_, nullptr);
        if (entered_) {
            inside = false;
        }
        errno = errno_;
    }
    aside(const aside&) = delete;
    aside& operator=(const aside&) = delete;

    [[nodiscard]] bool entered() const noexcept { return entered_; }

private:
    int errno_;
    int cancel_ = 0;
    bool entered_;
};

void line(const char* kind, const std::string& name, const std::string& rest) {
    set().where.add_line("index.tsv", std::string(kind) + '\t' + name + '\t' + rest + '\n');
}

std::string name_of(unsigned long number) { return "graph-" + std::to_string(getpid()) + '-' + std::to_string(number); }

/// A name that no report in the folder has: in containers, processes of many runs have the same number.
std::string new_name(unsigned long number) {
    const std::string name = name_of(number);
    for (int again = 1; again < 1000; ++again) {
        std::string one = again == 1 ? name : name + '-' + std::to_string(again);
        if (set().where.claim(one + ".txt") || errno != EEXIST) {
            return one;
        }
    }
    return name;
}

void failed(unsigned long number, const char* what) noexcept {
    try {
        set().where.add_line("errors.txt", "process " + std::to_string(getpid()) + ", graph " + std::to_string(number) +
                                               ": no report: " + what + '\n');
    } catch (...) {
    }
}

std::string rules(const audit_report& report, audit_report::severity severity) {
    std::string all;
    for (const audit_report::finding& each : report.findings) {
        if (each.severity == severity) {
            all += (all.empty() ? "" : ",") + std::string(each.rule);
        }
    }
    return all.empty() ? "-" : all;
}

bool write(const audit_report& report, const std::string& name) {
    const auto one = [&](const char* ending, const std::string& text) {
        written_bytes += text.size();
        return set().where.write(name + ending, text);
    };
    const std::string json = report.json();
    return one(".txt", report.text()) && one(".json", json) && one(".dot", report.dot()) &&
           one(".html", allograph::detail::audit_page_of(json));
}

/// The nodes of a graph with those of its child graphs, or more than `most`. @return false for what is no graph
bool count_nodes(CUgraph graph, std::size_t most, std::size_t& count) {
    std::size_t here = 0;
    if (graph == nullptr || cuGraphGetNodes(graph, nullptr, &here) != CUDA_SUCCESS) {
        return false;
    }
    count += here;
    if (count > most || here == 0) {
        return true;
    }
    std::vector<CUgraphNode> nodes(here);
    if (cuGraphGetNodes(graph, nodes.data(), &here) != CUDA_SUCCESS) {
        return false;
    }
    for (std::size_t i = 0; i < here && count <= most; ++i) {
        CUgraphNodeType type{};
        CUgraph child = nullptr;
        if (cuGraphNodeGetType(nodes[i], &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_GRAPH &&
            cuGraphChildGraphNodeGetGraph(nodes[i], &child) == CUDA_SUCCESS) {
            count_nodes(child, most, count);
        }
    }
    return true;
}

/// @return the name of the report's files, empty where there is none
std::string audit(CUgraph graph, unsigned long long flags, unsigned long number, audit_report& report) {
    const bool many = number > set().graphs;
    if (many || written_bytes >= set().bytes) {
        if (!full.exchange(true)) {
            line("skipped", name_of(number),
                 "this graph and all later ones: " + (many ? "ALLOGRAPH_AUDIT_GRAPHS is " + std::to_string(set().graphs)
                                                           : "ALLOGRAPH_AUDIT_BYTES is " + std::to_string(set().bytes)));
        }
        return {};
    }
    std::size_t nodes = 0;
    if (!count_nodes(graph, set().nodes, nodes)) {
        line("skipped", name_of(number), "no graph");
        return {};
    }
    if (nodes > set().nodes) {
        line("skipped", name_of(number), "too many nodes: ALLOGRAPH_AUDIT_NODES is " + std::to_string(set().nodes));
        return {};
    }
    allograph::audit_options options;
    options.name = std::string(program_invocation_short_name) + ", process " + std::to_string(getpid()) + ", graph " +
                   std::to_string(number);
    {
        const std::lock_guard hold(lock);
        for (const auto& [node, bodies] : conditional_bodies()) {
            options.bodies.push_back({node, bodies});
        }
    }
    options.auto_free_on_launch = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
    report = allograph::audit(graph, options);
    const std::string name = new_name(number);
    if (!write(report, name)) {
        failed(number, "it could not be written");
        return {};
    }
    using severity = audit_report::severity;
    line("graph", name,
         std::to_string(report.nodes.size()) + '\t' + rules(report, severity::error) + '\t' + rules(report, severity::note));
    return name;
}

bool lacks_a_fate(const audit_report::finding& each) { return std::strcmp(each.rule, "F10") == 0; }

bool lacks_a_fate(const audit_report& report) {
    for (const audit_report::finding& each : report.findings) {
        if (lacks_a_fate(each)) {
            return true;
        }
    }
    return false;
}

/// Runs something that may throw; what it throws becomes a line of errors.txt.
template <class Work>
void safely(unsigned long number, Work work) noexcept {
    try {
        work();
    } catch (const std::exception& error) {
        failed(number, error.what());
    } catch (...) {
        failed(number, "an unknown exception");
    }
}

}  // namespace

struct audited {
    unsigned long number;
    std::string name;
    audit_report report;
};

bool on() noexcept { return set().where.given(); }

instantiation::instantiation(CUgraph graph, unsigned long long flags) noexcept {
    if (!on() || instantiating) {
        return;
    }
    const aside here;
    if (!here.entered()) {
        return;
    }
    outermost_ = instantiating = true;
    const unsigned long number = ++instantiated;
    safely(number, [&] {
        audit_report report;
        if (std::string name = audit(graph, flags, number, report); !name.empty()) {
            audited_ = new audited{number, std::move(name), std::move(report)};
        }
    });
}

instantiation::~instantiation() {
    if (outermost_) {
        instantiating = false;
    }
    delete audited_;
}

CUresult instantiation::ended(const CUgraphExec* exec, CUresult answer) const noexcept {
    if (audited_ == nullptr) {
        return answer;
    }
    const aside here;
    safely(audited_->number, [&] {
        if (answer != CUDA_SUCCESS || exec == nullptr) {
            line("failed", audited_->name, std::to_string(static_cast<int>(answer)));
            return;
        }
        const std::lock_guard hold(lock);
        auto& all = unfreed_ones();
        if (const auto older = all.find(*exec); older != all.end()) {  // its handle is used again
            unfreed_nodes -= older->second.report.nodes.size();
            all.erase(older);
        }
        const std::size_t nodes = audited_->report.nodes.size();
        if (lacks_a_fate(audited_->report) && unfreed_nodes + nodes <= most_unfreed_nodes) {
            unfreed_nodes += nodes;
            all.insert({*exec, unfreed{audited_->name, std::move(audited_->report)}});
            any_unfreed.store(true, std::memory_order_release);
        }
    });
    return answer;
}

CUresult launched(CUgraphExec exec, CUresult answer) noexcept {
    if (!any_unfreed.load(std::memory_order_acquire)) {
        return answer;
    }
    const aside here;
    if (!here.entered()) {
        return answer;
    }
    safely(0, [&] {
        const std::lock_guard hold(lock);
        const auto found = unfreed_ones().find(exec);
        if (found == unfreed_ones().end()) {
            return;
        }
        unfreed& one = found->second;
        if (answer == CUDA_SUCCESS) {
            one.launched = true;
        } else if (answer == CUDA_ERROR_INVALID_VALUE && one.launched && !one.told) {
            one.told = true;
            std::string broken;
            for (audit_report::finding& each : one.report.findings) {
                if (lacks_a_fate(each)) {
                    each.severity = audit_report::severity::error;
                    each.message +=
                        "; a later launch was refused with \"invalid value\", as it is while an earlier one's memory lives";
                    broken += broken.empty() ? "F10" : ",F10";
                }
            }
            write(one.report, one.name);
            line("relaunch", one.name, broken);
        }
    });
    return answer;
}

void conditional_added(CUgraphNode node, const CUgraph* bodies, std::size_t count) noexcept {
    const aside here;
    if (!here.entered() || bodies == nullptr) {
        return;
    }
    safely(0, [&] {
        const std::lock_guard hold(lock);
        auto& all = conditional_bodies();
        if (all.size() >= most_conditionals) {
            all.clear();
        }
        all[node].assign(bodies, bodies + count);
    });
}

}  // namespace allograph_audit
