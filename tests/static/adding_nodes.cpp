// rules: A4 A5 A7 A9 A14 D8 F1 F2 O5
// Which arguments the members that add nodes take. Each refusal is seen by concepts, so generic code can ask.
#include <allograph/allograph.hpp>

#include <array>
#include <list>
#include <span>
#include <string>
#include <vector>

namespace ag = allograph;

using G = ag::memory_graph;
using token = ag::alloc_node<float>;

template <class T, class... Args>
concept allocates = requires(G& g, Args&&... args) { g.add_alloc<T>(static_cast<Args&&>(args)...); };
using after_one = std::array<ag::node, 1>;
static_assert(allocates<float, int>);
static_assert(allocates<float, std::size_t, ag::alloc_options>);
static_assert(allocates<float, after_one, unsigned, ag::alloc_options>);
static_assert(allocates<float, ag::inferred_t, std::size_t>);
static_assert(!allocates<std::string, std::size_t>);
static_assert(!allocates<const float, std::size_t>);
static_assert(!allocates<float&, after_one, std::size_t>);
static_assert(!allocates<void, std::size_t>);
static_assert(!allocates<float, after_one, decltype(nullptr)>);
static_assert(!allocates<float, std::size_t, CUmemAllocationType>);
static_assert(!allocates<float, std::size_t, CUmemAllocationHandleType>);
static_assert(!allocates<float, std::size_t, CUmemPoolProps>);
static_assert(!allocates<float, std::size_t, int>);
static_assert(!allocates<float, after_one, CUDA_MEM_ALLOC_NODE_PARAMS>);
static_assert(!allocates<float, ag::node, std::size_t>);
static_assert(!allocates<float, const CUgraphNode*, std::size_t, std::size_t>);

template <class L>
concept is_a_location = requires(L where) {
    ag::on(where);
    ag::named("x").on(where);
};
static_assert(is_a_location<ag::device>);
static_assert(!is_a_location<int>);
static_assert(!is_a_location<CUmemLocation>);
static_assert(!is_a_location<CUmemLocationType>);
template <class... P>
concept are_peers = requires(P... peers) { ag::named("x").shared_with(peers...); };
static_assert(are_peers<ag::device>);
static_assert(are_peers<std::vector<ag::device>>);
static_assert(are_peers<std::list<ag::device>>);
static_assert(are_peers<std::span<const ag::device>>);
static_assert(!are_peers<>);
static_assert(!are_peers<int>);
static_assert(!are_peers<std::vector<int>>);
static_assert(!are_peers<ag::device*, std::size_t>);
static_assert(!are_peers<decltype(nullptr), int>);
static_assert(!are_peers<std::vector<CUmemAccessDesc>>);
static_assert(!are_peers<std::vector<ag::device>, CUmemAccess_flags>);

template <class... Args>
concept frees = requires(G& g, Args&&... args) { g.add_free(static_cast<Args&&>(args)...); };
static_assert(frees<token> && frees<after_one, token> && frees<ag::inferred_t, token>);
static_assert(!frees<token&> && !frees<after_one, token&>);
static_assert(!frees<const token> && !frees<after_one, const token>);
static_assert(!frees<const token&> && !frees<after_one, const token&>);
static_assert(!frees<after_one> && !frees<after_one, ag::node>);
static_assert(!frees<after_one, ag::device_ptr<float>> && !frees<ag::device_ptr<float>>);
static_assert(!frees<after_one, ag::device_span<float>>);
static_assert(!frees<after_one, CUdeviceptr> && !frees<after_one, float*> && !frees<after_one, int>);
static_assert(!frees<after_one, ag::stream_buffer<float>>);
static_assert(!frees<token, token>);

template <class... Args>
concept sets = requires(G& g, Args&&... args) { g.add_memset(static_cast<Args&&>(args)...); };
template <class T>
using span_of = ag::device_span<T>;
struct three_bytes {
    char bytes[3];
};
struct four_bytes {
    short halves[2];
};
static_assert(sets<span_of<float>, float> && sets<after_one, span_of<float>, float>);
static_assert(sets<span_of<char>, char> && sets<span_of<short>, short> && sets<span_of<unsigned>, unsigned>);
static_assert(sets<after_one, span_of<four_bytes>, four_bytes>);
static_assert(sets<span_of<double>, ag::zero_t> && sets<after_one, span_of<three_bytes>, ag::zero_t>);
static_assert(!sets<span_of<double>, double> && !sets<after_one, span_of<double>, double>);
static_assert(!sets<after_one, span_of<three_bytes>, three_bytes>);
static_assert(!sets<span_of<const float>, float> && !sets<after_one, span_of<const double>, ag::zero_t>);
static_assert(!sets<after_one, span_of<float>, const char*>);
static_assert(!sets<after_one, token&, float> && !sets<after_one, ag::device_ptr<float>, float>);
static_assert(!sets<after_one, std::vector<float>&, float> && !sets<std::span<float>, float>);
static_assert(!sets<ag::node, span_of<float>, float>);

template <class To, class From>
concept copies = requires(G& g, To&& to, From&& from) {
    g.add_memcpy(static_cast<To&&>(to), static_cast<From&&>(from));
} && requires(G& g, after_one d, To&& to, From&& from) { g.add_memcpy(d, static_cast<To&&>(to), static_cast<From&&>(from)); };
template <class To, class From>
concept copies_somehow = requires(G& g, To&& to, From&& from) {
    g.add_memcpy(static_cast<To&&>(to), static_cast<From&&>(from));
} || requires(G& g, after_one d, To&& to, From&& from) { g.add_memcpy(d, static_cast<To&&>(to), static_cast<From&&>(from)); };
static_assert(copies<span_of<float>, span_of<float>> && copies<span_of<float>, span_of<const float>>);
static_assert(copies<span_of<float>, std::vector<float>&> && copies<span_of<float>, const std::vector<float>&>);
static_assert(copies<span_of<float>, std::span<const float>> && copies<std::span<float>, span_of<const float>>);
static_assert(copies<std::array<float, 4>&, span_of<float>> && copies<float (&)[4], span_of<float>>);
static_assert(copies<std::string&, span_of<char>>);
static_assert(!copies_somehow<span_of<const float>, span_of<float>>);
static_assert(!copies_somehow<span_of<float>, span_of<int>>);
static_assert(!copies_somehow<span_of<float>, std::vector<double>&>);
static_assert(!copies_somehow<const std::vector<float>&, span_of<float>>);
static_assert(!copies_somehow<std::span<const float>, span_of<float>>);
static_assert(!copies_somehow<span_of<float>, std::vector<float>>);
static_assert(!copies_somehow<std::vector<float>, span_of<float>>);
static_assert(!copies_somehow<span_of<float>, std::array<float, 4>>);
static_assert(!copies_somehow<std::vector<float>&, std::vector<float>&>);
static_assert(!copies_somehow<span_of<float>, std::list<float>&>);
static_assert(!copies_somehow<span_of<char>, std::vector<bool>&>);
static_assert(!copies_somehow<span_of<float>, const float*>);
static_assert(!copies_somehow<token&, std::vector<float>&>);
static_assert(!copies_somehow<ag::device_ptr<float>, span_of<float>>);
static_assert(!copies_somehow<span_of<float>, const ag::stream_buffer<float>&>);

template <class F>
concept is_called = requires(G& g, F&& f) { g.add_host(static_cast<F&&>(f)); } &&
                    requires(G& g, after_one d, F&& f) { g.add_host(d, static_cast<F&&>(f)); };
template <class F>
concept is_called_somehow = requires(G& g, F&& f) { g.add_host(static_cast<F&&>(f)); } ||
                            requires(G& g, after_one d, F&& f) { g.add_host(d, static_cast<F&&>(f)); };
struct callable {
    void operator()() {}
};
struct move_only_callable {
    move_only_callable(move_only_callable&&) = default;
    int operator()() const { return 0; }
};
static_assert(is_called<callable> && is_called<callable&> && is_called<move_only_callable> && is_called<void (*)()>);
static_assert(!is_called_somehow<void (*)(int)> && !is_called_somehow<CUhostFn> && !is_called_somehow<int>);

template <class... Args>
concept adds_an_edge = requires(G& g, Args&&... args) { g.add_dependency(args...); };
static_assert(adds_an_edge<ag::node, ag::kernel_node> && adds_an_edge<token, CUgraphNode>);
static_assert(!adds_an_edge<ag::node, int> && !adds_an_edge<ag::device_ptr<float>, ag::node>);
static_assert(!adds_an_edge<ag::kernel_node, ag::kernel_node, CUgraphEdgeData>);
static_assert(!adds_an_edge<after_one, ag::node>);

template <class... Args>
concept adds_an_empty_node = requires(G& g, Args&&... args) { g.add_empty(args...); };
static_assert(requires(G& g) { g.add_empty(); });  // nvcc 13.0 hands clang 16 and newer `concept<>` without its brackets
static_assert(adds_an_empty_node<after_one> && adds_an_empty_node<std::vector<CUgraphNode>>);
static_assert(!adds_an_empty_node<decltype(nullptr)> && !adds_an_empty_node<decltype(nullptr), int> && !adds_an_empty_node<int>);
static_assert(!adds_an_empty_node<CUgraphNode*, std::size_t> && !adds_an_empty_node<ag::node>);
