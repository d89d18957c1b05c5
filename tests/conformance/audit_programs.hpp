#pragma once

// Random graphs, built by the driver's own functions, and what is wrong with each, found by brute force: every pair of
// nodes is asked for a path in a plain matrix. Nothing of the library's audit or model is used for that.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <allograph/allograph.hpp>
#include <allograph/audit.hpp>

#include "fixture.hpp"

namespace audit_test {

using ag::node_kind;

class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
    unsigned below(unsigned n) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<unsigned>((state_ >> 20) % n);
    }
    bool one_in(unsigned n) { return below(n) == 0; }

private:
    std::uint64_t state_;
};

/// What a program is made of, as whoever builds it knows it.
struct facts {
    struct node {
        node_kind kind;
        int begin;  // points of the order: a node that holds a graph has two
        int end;
        int holder = -1;
        CUgraphNode handle = nullptr;
    };
    struct allocation {
        int node;
        std::uint64_t address;
        std::uint64_t bytes;
        int freed_by = -1;
        bool in_body = false;
    };
    struct touch {
        int node;
        char how;  // r, w, or ? for a kernel's argument
        std::uint64_t address;
        std::uint64_t bytes;
        int allocation = -1;  // by address
        bool ambiguous = false;
    };
    std::vector<node> nodes;
    std::vector<std::set<int>> into;  // of each point
    std::vector<allocation> allocations;
    std::vector<touch> touches;
    std::vector<int> foreign_frees;

    std::vector<std::vector<bool>> above;  // of each point, those before it

    void close() {
        const std::size_t points = into.size();
        above.assign(points, std::vector<bool>(points, false));
        for (std::size_t p = 0; p < points; ++p) {
            std::vector<int> open(into[p].begin(), into[p].end());
            while (!open.empty()) {
                const auto at = static_cast<std::size_t>(open.back());
                open.pop_back();
                if (!above[p][at]) {
                    above[p][at] = true;
                    open.insert(open.end(), into[at].begin(), into[at].end());
                }
            }
        }
    }
    [[nodiscard]] bool before(int u, int v) const {
        return u != v && above[static_cast<std::size_t>(nodes[static_cast<std::size_t>(v)].begin)]
                              [static_cast<std::size_t>(nodes[static_cast<std::size_t>(u)].end)];
    }

    /// The allocation that a node means by an address: of those that it comes after the last one.
    void resolve() {
        for (touch& t : touches) {
            std::vector<int> earlier, others;
            for (std::size_t a = 0; a < allocations.size(); ++a) {
                if (allocations[a].address <= t.address && t.address < allocations[a].address + allocations[a].bytes) {
                    (before(allocations[a].node, t.node) ? earlier : others).push_back(static_cast<int>(a));
                }
            }
            for (const int a : earlier) {
                if (t.allocation < 0 || made_after(a, t.allocation)) {
                    t.allocation = a;
                }
            }
            if (earlier.empty() && !others.empty()) {
                t.allocation = others.front();
                t.ambiguous = others.size() > 1;
            }
        }
    }

    /// One allocation has the bytes of the other next. Its free may be in no order with that one itself (rule O4).
    [[nodiscard]] bool made_after(int a, int other) const {
        const allocation& first = allocations[static_cast<std::size_t>(other)];
        const int next = allocations[static_cast<std::size_t>(a)].node;
        return before(first.node, next) || (first.freed_by >= 0 && before(first.freed_by, next));
    }

    /// "O3 a2 n7", a word for each mistake. Races are given by allocation alone.
    [[nodiscard]] std::set<std::string> mistakes() const {
        std::set<std::string> found;
        const auto say = [&](const char* rule, int a, int n) {
            found.insert(std::string(rule) + (a < 0 ? "" : " a" + std::to_string(a)) + (n < 0 ? "" : " n" + std::to_string(n)));
        };
        for (std::size_t i = 0; i < allocations.size(); ++i) {
            const int a = static_cast<int>(i);
            const allocation& it = allocations[i];
            bool ordered = true;
            for (const touch& t : touches) {
                if (t.allocation != a) {
                    continue;
                }
                if (!before(it.node, t.node)) {
                    say("O1", -1, t.node);  // which of several allocations is anybody's guess
                    ordered = false;
                } else if (it.freed_by >= 0 && before(it.freed_by, t.node)) {
                    say("O2", a, t.node);
                } else if (it.freed_by >= 0 && !before(t.node, it.freed_by)) {
                    say("O3", a, t.node);
                    ordered = false;
                }
                if (t.how != '?' && t.address + t.bytes > it.address + it.bytes) {
                    say("O5", a, t.node);
                }
            }
            if (it.freed_by >= 0 && ordered && !before(it.node, it.freed_by)) {
                say("O4", a, -1);
            }
            if (it.freed_by < 0 && !it.in_body) {
                say("F10", a, -1);
            }
            if (it.in_body) {
                say("C8", a, -1);
            }
        }
        for (const int n : foreign_frees) {
            say("X6", -1, n);
        }
        for (const touch& x : touches) {
            for (const touch& y : touches) {
                if (is_race(x, y)) {
                    say("O6", x.allocation, -1);
                }
            }
        }
        return found;
    }
    [[nodiscard]] bool is_race(const touch& x, const touch& y) const {
        return x.allocation >= 0 && x.allocation == y.allocation && x.node != y.node && x.how != '?' && y.how != '?' &&
               (x.how == 'w' || y.how == 'w') && x.address < y.address + y.bytes && y.address < x.address + x.bytes &&
               !before(x.node, y.node) && !before(y.node, x.node);
    }
};

/// Adds random nodes to a graph. What the driver refuses is not there.
class builder {
public:
    /// @param faults  of a hundred chances for a mistake, how many are taken
    builder(std::uint64_t seed, unsigned faults, bool parts) : dice_(seed), faults_(faults), parts_(parts) {
        const ag::stream starts_the_driver;
        must(cuGraphCreate(&graph_, 0), "cuGraphCreate");
        must(cuCtxGetCurrent(&context_), "cuCtxGetCurrent");
    }
    builder(const builder&) = delete;
    builder& operator=(const builder&) = delete;
    ~builder() { cuGraphDestroy(graph_); }

    facts truth;
    std::vector<ag::audit_bodies> bodies;
    [[nodiscard]] CUgraph graph() const { return graph_; }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            const unsigned what = dice_.below(20);
            if (live_.empty() || what < 5) {
                add_alloc();
            } else if (what < 8) {
                add_free(pick(live_));
            } else if (what < 13) {
                add_kernel();
            } else if (what < 15) {
                add_memset();
            } else if (what < 17) {
                add_memcpy();
            } else if (what == 17) {
                add_plain();
            } else if (what == 18) {
                dice_.one_in(2) ? add_child() : add_conditional();
            } else {
                add_edge();
            }
        }
        while (!live_.empty()) {
            if (fault()) {
                live_.pop_back();  // leaves the graph
            } else {
                add_free(live_.back());
            }
        }
        if (fault()) {
            add_foreign_free();
        }
        truth.close();
        truth.resolve();
    }

private:
    [[nodiscard]] bool fault() { return dice_.below(100) < faults_; }
    int pick(const std::vector<int>& from) { return from[dice_.below(static_cast<unsigned>(from.size()))]; }
    facts::allocation& at(int a) { return truth.allocations[static_cast<std::size_t>(a)]; }
    facts::node& node(int n) { return truth.nodes[static_cast<std::size_t>(n)]; }

    /// A live allocation; by mistake a freed one.
    int any_allocation() {
        if (fault()) {
            return static_cast<int>(dice_.below(static_cast<unsigned>(truth.allocations.size())));
        }
        return pick(live_);
    }

    /// What a node that touches an allocation must come after, less what is forgotten by mistake.
    void require(std::set<int>& deps, int a, bool writes) {
        const auto depend_on = [&](int n) {
            if (!fault()) {
                deps.insert(n);
            }
        };
        if (at(a).in_body) {
            return;
        }
        depend_on(at(a).node);
        for (const auto& [user, wrote] : users_[a]) {
            if (writes || wrote) {
                depend_on(user);
            }
        }
    }
    void extra(std::set<int>& deps) {
        for (unsigned more = dice_.below(3); more > 0 && !outer_.empty(); --more) {
            deps.insert(pick(outer_));
        }
    }
    std::vector<CUgraphNode> handles(const std::set<int>& deps) {
        std::vector<CUgraphNode> all;
        for (const int n : deps) {
            all.push_back(node(n).handle);
        }
        return all;
    }

    int new_point(const std::set<int>& into) {
        truth.into.push_back(into);
        return static_cast<int>(truth.into.size()) - 1;
    }
    int record(node_kind kind, const std::set<int>& deps, CUgraphNode handle) {
        std::set<int> into;
        for (const int d : deps) {
            into.insert(node(d).end);
        }
        const int point = new_point(into);
        truth.nodes.push_back({kind, point, point, -1, handle});
        outer_.push_back(static_cast<int>(truth.nodes.size()) - 1);
        return outer_.back();
    }
    void use(int n, int outer, char how, std::uint64_t address, std::uint64_t bytes, int a) {
        truth.touches.push_back({n, how, address, bytes});
        users_[a].emplace_back(outer, how != 'r');
    }

    void add_alloc() {
        std::set<int> deps;
        extra(deps);
        // Behind a free, so that addresses are used again.
        if (!freed_.empty() && !dice_.one_in(3)) {
            deps.insert(at(pick(freed_)).freed_by);
        }
        CUDA_MEM_ALLOC_NODE_PARAMS params{};
        params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        params.bytesize = dice_.one_in(2) ? 4096 : 1 + dice_.below(9000);
        CUgraphNode handle = nullptr;
        const auto after = handles(deps);
        must(cuGraphAddMemAllocNode(&handle, graph_, after.data(), after.size(), &params), "cuGraphAddMemAllocNode");
        const int n = record(node_kind::alloc, deps, handle);
        live_.push_back(static_cast<int>(truth.allocations.size()));
        truth.allocations.push_back({n, params.dptr, params.bytesize});
    }

    void add_free(int a) {
        std::set<int> deps;
        require(deps, a, true);
        extra(deps);
        CUgraphNode handle = nullptr;
        const auto after = handles(deps);
        live_.erase(std::find(live_.begin(), live_.end(), a));
        if (cuGraphAddMemFreeNode(&handle, graph_, after.data(), after.size(), at(a).address) == CUDA_SUCCESS) {
            at(a).freed_by = record(node_kind::free, deps, handle);
            freed_.push_back(a);
        }
    }

    void add_foreign_free() {
        // An allocation of another graph, which lives on until that is destroyed: nothing is launched.
        CUgraph other = nullptr;
        must(cuGraphCreate(&other, 0), "cuGraphCreate");
        CUDA_MEM_ALLOC_NODE_PARAMS params{};
        params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        params.bytesize = 1 << 20;
        CUgraphNode handle = nullptr;
        must(cuGraphAddMemAllocNode(&handle, other, nullptr, 0, &params), "cuGraphAddMemAllocNode");
        if (cuGraphAddMemFreeNode(&handle, graph_, nullptr, 0, params.dptr) == CUDA_SUCCESS) {
            truth.foreign_frees.push_back(record(node_kind::free, {}, handle));
        }
        cuGraphDestroy(other);
    }

    /// A kernel with one or two addresses among its arguments: by function or of a library, arguments by pointer or packed.
    CUgraphNode kernel_node(CUgraph to, const std::vector<CUgraphNode>& after, CUdeviceptr x, CUdeviceptr y) {
        int n = 3;
        float a = 2;
        void* arguments[] = {&n, &a, &x, &y};
        struct packed_arguments {
            int n;
            float a;
            CUdeviceptr x;
            CUdeviceptr y;
        } packed{n, a, x, y};
        std::size_t size = sizeof packed;
        void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
        CUDA_KERNEL_NODE_PARAMS_v2 params{};
        if (dice_.one_in(2)) {
            params.func = test_kernels::scale_add().function();
        } else {
            params.kern = test_kernels::detail::library_kernel("scale_add");
            params.ctx = context_;
        }
        params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
        if (dice_.one_in(3)) {
            params.extra = extra;
        } else {
            params.kernelParams = arguments;
        }
        CUgraphNode handle = nullptr;
        must(cuGraphAddKernelNode_v2(&handle, to, after.data(), after.size(), &params), "cuGraphAddKernelNode_v2");
        return handle;
    }
    CUdeviceptr inside(int a) { return at(a).address + dice_.below(static_cast<unsigned>(at(a).bytes)); }

    void add_kernel() {
        const int a = any_allocation();
        const int b = any_allocation();
        std::set<int> deps;
        require(deps, a, true);
        require(deps, b, true);
        extra(deps);
        const CUdeviceptr x = dice_.one_in(4) ? 0 : inside(a);
        const CUdeviceptr y = inside(b);
        const int n = record(node_kind::kernel, deps, kernel_node(graph_, handles(deps), x, y));
        if (x != 0) {
            use(n, n, '?', x, 1, a);
        }
        use(n, n, '?', y, 1, b);
    }

    /// All of an allocation, or in some programs a part.
    std::pair<std::uint64_t, std::uint64_t> range_of(int a, std::uint64_t most) {
        const std::uint64_t bytes = std::min(at(a).bytes, most);
        if (!parts_) {
            return {at(a).address, bytes};
        }
        const auto from = dice_.below(static_cast<unsigned>(bytes));
        return {at(a).address + from, 1 + dice_.below(static_cast<unsigned>(bytes - from))};
    }

    void add_memset() {
        const int a = pick(live_);
        std::set<int> deps;
        require(deps, a, true);
        extra(deps);
        const auto [address, bytes] = range_of(a, UINT64_MAX);
        CUDA_MEMSET_NODE_PARAMS params{};
        params.dst = address;
        params.elementSize = 1;
        params.width = bytes;
        params.height = 1;
        CUgraphNode handle = nullptr;
        const auto after = handles(deps);
        if (cuGraphAddMemsetNode(&handle, graph_, after.data(), after.size(), &params, context_) == CUDA_SUCCESS) {
            const int n = record(node_kind::memset, deps, handle);
            use(n, n, 'w', address, bytes, a);
        }
    }

    /// To the host, from the host, or between allocations.
    void add_memcpy() {
        const unsigned way = dice_.below(3);
        const int from = way == 0 ? -1 : pick(live_);
        const int to = way == 1 ? -1 : pick(live_);
        if (from == to) {
            return;
        }
        const std::uint64_t most = from >= 0 && to >= 0 ? std::min(at(from).bytes, at(to).bytes) : UINT64_MAX;
        auto [address, bytes] = range_of(from >= 0 ? from : to, most);
        if (from >= 0 && to >= 0 && !parts_ && at(from).bytes != at(to).bytes) {
            return;  // all of both
        }
        const std::uint64_t target = from >= 0 && to >= 0 ? at(to).address : address;
        std::set<int> deps;
        CUDA_MEMCPY3D copy{};
        copy.WidthInBytes = bytes;
        copy.Height = copy.Depth = 1;
        copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = copy.dstHost = host_;
        if (from >= 0) {
            require(deps, from, false);
            copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.srcDevice = address;
        }
        if (to >= 0) {
            require(deps, to, true);
            copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.dstDevice = target;
        }
        extra(deps);
        CUgraphNode handle = nullptr;
        const auto after = handles(deps);
        if (cuGraphAddMemcpyNode(&handle, graph_, after.data(), after.size(), &copy, context_) == CUDA_SUCCESS) {
            const int n = record(node_kind::memcpy, deps, handle);
            if (from >= 0) {
                use(n, n, 'r', address, bytes, from);
            }
            if (to >= 0) {
                use(n, n, 'w', target, bytes, to);
            }
        }
    }

    void add_plain() {
        std::set<int> deps;
        extra(deps);
        const auto after = handles(deps);
        CUgraphNode handle = nullptr;
        if (dice_.one_in(2)) {
            must(cuGraphAddEmptyNode(&handle, graph_, after.data(), after.size()), "cuGraphAddEmptyNode");
            record(node_kind::empty, deps, handle);
        } else {
            CUDA_HOST_NODE_PARAMS params{};
            params.fn = [](void*) {};
            must(cuGraphAddHostNode(&handle, graph_, after.data(), after.size(), &params), "cuGraphAddHostNode");
            record(node_kind::host, deps, handle);
        }
    }

    /// The kernels of an inner graph, one behind the other.
    struct inner {
        std::vector<int> used;
        std::vector<CUdeviceptr> addresses;
        std::vector<CUgraphNode> handles;
    };
    inner choose_inner(std::set<int>& deps) {
        inner made;
        for (unsigned left = 1 + dice_.below(3); left > 0; --left) {
            made.used.push_back(any_allocation());
            made.addresses.push_back(inside(made.used.back()));
            require(deps, made.used.back(), true);
        }
        extra(deps);
        return made;
    }
    void fill(CUgraph to, inner& with) {
        for (const CUdeviceptr address : with.addresses) {
            std::vector<CUgraphNode> after;
            if (!with.handles.empty()) {
                after.push_back(with.handles.back());
            }
            with.handles.push_back(kernel_node(to, after, address, address));
        }
    }
    void record_inner(int holder, const inner& with, std::set<int> leaves = {}) {
        int last = node(holder).begin;
        for (std::size_t i = 0; i < with.used.size(); ++i) {
            last = new_point({last});
            truth.nodes.push_back({node_kind::kernel, last, last, holder, with.handles[i]});
            use(static_cast<int>(truth.nodes.size()) - 1, holder, '?', with.addresses[i], 1, with.used[i]);
        }
        leaves.insert(last);
        node(holder).end = new_point(leaves);
    }

    void add_child() {
        std::set<int> deps;
        inner with = choose_inner(deps);
        CUgraph child = nullptr;
        must(cuGraphCreate(&child, 0), "cuGraphCreate");
        fill(child, with);
        const auto after = handles(deps);
        CUgraphNode handle = nullptr;
        must(cuGraphAddChildGraphNode(&handle, graph_, after.data(), after.size(), child), "cuGraphAddChildGraphNode");
        cuGraphDestroy(child);
        // A child is a copy: its nodes are found again by their order.
        CUgraph copy = nullptr;
        must(cuGraphChildGraphNodeGetGraph(handle, &copy), "cuGraphChildGraphNodeGetGraph");
        std::size_t count = with.handles.size();
        must(cuGraphGetNodes(copy, with.handles.data(), &count), "cuGraphGetNodes");
        std::sort(with.handles.begin(), with.handles.end(), [](CUgraphNode x, CUgraphNode y) { return depth(x) < depth(y); });
        record_inner(record(node_kind::child, deps, handle), with);
    }
    static int depth(CUgraphNode n) {
        const auto before = dependencies_of(n);
        return before.empty() ? 0 : 1 + depth(before.front());
    }

    void add_conditional() {
        std::set<int> deps;
        inner with = choose_inner(deps);
        CUgraphConditionalHandle condition = 0;
        must(cuGraphConditionalHandleCreate(&condition, graph_, context_, 1, CU_GRAPH_COND_ASSIGN_DEFAULT),
             "cuGraphConditionalHandleCreate");
        CUgraphNodeParams params{};
        params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
        params.conditional.handle = condition;
        params.conditional.type = CU_GRAPH_COND_TYPE_IF;
        params.conditional.size = 1;
        params.conditional.ctx = context_;
        const auto after = handles(deps);
        CUgraphNode handle = nullptr;
        must(cuGraphAddNode_v2(&handle, graph_, after.data(), nullptr, after.size(), &params), "cuGraphAddNode_v2");
        const CUgraph body = params.conditional.phGraph_out[0];
        bodies.push_back({handle, {body}});
        fill(body, with);
        const int holder = record(node_kind::conditional, deps, handle);
        std::set<int> leaves;
        if (fault()) {
            CUDA_MEM_ALLOC_NODE_PARAMS alloc{};
            alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
            alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
            alloc.bytesize = 512;
            CUgraphNode made = nullptr;
            if (cuGraphAddMemAllocNode(&made, body, nullptr, 0, &alloc) == CUDA_SUCCESS) {
                const int point = new_point({node(holder).begin});
                leaves.insert(point);
                truth.nodes.push_back({node_kind::alloc, point, point, holder, made});
                truth.allocations.push_back({static_cast<int>(truth.nodes.size()) - 1, alloc.dptr, alloc.bytesize, -1, true});
            }
        }
        record_inner(holder, with, leaves);
    }

    /// An edge between nodes that are there.
    void add_edge() {
        if (outer_.size() < 2) {
            return;
        }
        const int from = pick(outer_);
        const int to = pick(outer_);
        truth.close();
        if (from == to || truth.before(to, from) ||
            truth.into[static_cast<std::size_t>(node(to).begin)].count(node(from).end) != 0) {
            return;
        }
        // A free ahead of its own allocation: the driver takes that too, but with another allocation at the address
        // nobody can tell any more which free is whose.
        for (const facts::allocation& a : truth.allocations) {
            const auto not_after = [&](int n, int other) { return n == other || truth.before(n, other); };
            if (a.freed_by >= 0 && not_after(a.freed_by, from) && not_after(to, a.node)) {
                return;
            }
        }
        const CUgraphNode u = node(from).handle;
        const CUgraphNode v = node(to).handle;
        if (cuGraphAddDependencies_v2(graph_, &u, &v, nullptr, 1) == CUDA_SUCCESS) {
            truth.into[static_cast<std::size_t>(node(to).begin)].insert(node(from).end);
        }
    }

    dice dice_;
    unsigned faults_;
    bool parts_;
    CUgraph graph_ = nullptr;
    CUcontext context_ = nullptr;
    std::vector<int> outer_;  // nodes of the graph itself
    std::vector<int> live_;   // allocations
    std::vector<int> freed_;
    std::map<int, std::vector<std::pair<int, bool>>> users_;  // of each allocation, nodes of the graph itself
    char host_[16384] = {};
};

}  // namespace audit_test
