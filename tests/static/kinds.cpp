// rules: C1 C2 C8 C10 G1 G2 G3 G5 G7 G8 G10 X2
// The table of kinds against what each kind of graph lets its user write.
#include <allograph/allograph.hpp>

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ag = allograph;

using kind = ag::graph_kind;

// The table, as the manual says it.
static_assert(!ag::capabilities_of(kind::plain).memory_nodes && ag::capabilities_of(kind::plain).every_node);
static_assert(ag::capabilities_of(kind::plain).removal && ag::capabilities_of(kind::plain).many_executables);
static_assert(ag::capabilities_of(kind::plain).child_by_copy && !ag::capabilities_of(kind::plain).child_by_move);
static_assert(ag::capabilities_of(kind::plain).device_launch && ag::capabilities_of(kind::plain).instantiable);
static_assert(ag::capabilities_of(kind::memory).memory_nodes && ag::capabilities_of(kind::memory).every_node);
static_assert(!ag::capabilities_of(kind::memory).removal && !ag::capabilities_of(kind::memory).many_executables);
static_assert(!ag::capabilities_of(kind::memory).child_by_copy && ag::capabilities_of(kind::memory).child_by_move);
static_assert(!ag::capabilities_of(kind::memory).device_launch && ag::capabilities_of(kind::memory).instantiable);
static_assert(!ag::capabilities_of(kind::moved_child).memory_nodes && ag::capabilities_of(kind::moved_child).every_node);
static_assert(!ag::capabilities_of(kind::moved_child).removal && !ag::capabilities_of(kind::moved_child).instantiable);
static_assert(!ag::capabilities_of(kind::conditional_body).memory_nodes &&
              !ag::capabilities_of(kind::conditional_body).every_node);
static_assert(!ag::capabilities_of(kind::conditional_body).removal && !ag::capabilities_of(kind::conditional_body).instantiable);

// What can be written, member by member.
using float_token = ag::alloc_node<float>;
struct nothing {
    void operator()() const {}
};
template <class G>
concept allocates = requires(G& g, ag::node n) {
    g.template add_alloc<float>(1);
    g.template add_alloc<float>({}, 1);
    g.template add_alloc<float>(ag::after(n), 1, ag::named("x"));
};
template <class G>
concept allocates_somehow = requires(G& g) { g.template add_alloc<float>(1); } ||
                            requires(G& g, ag::node n) { g.template add_alloc<float>(ag::after(n), 1); };
template <class G>
using own_token = typename G::template token_of<float>;
template <class G>
concept frees = requires(G& g, own_token<G>&& t, ag::node n) {
    g.add_free(static_cast<own_token<G>&&>(t));
    g.add_free(ag::after(n), static_cast<own_token<G>&&>(t));
};
template <class G>
concept frees_somehow = requires(G& g, own_token<G>&& t) {
    g.add_free(static_cast<own_token<G>&&>(t));
} || requires(G& g, own_token<G>&& t, ag::node n) { g.add_free(ag::after(n), static_cast<own_token<G>&&>(t)); };
template <class G>
concept calls_the_host = requires(G& g) { g.add_host(nothing{}); };
template <class G>
concept sets_copies_and_launches =
    requires(G& g, ag::device_span<float> x, std::vector<float>& host, ag::kernel<void(float*)> k, ag::node n) {
        { g.add_memset(x, 0.0f) } -> std::same_as<ag::memset_node>;
        { g.add_memset(ag::after(n), x, ag::zero) } -> std::same_as<ag::memset_node>;
        { g.add_memcpy({}, x, host) } -> std::same_as<ag::memcpy_node>;
        { g.add_kernel({}, k, ag::grid_for(1), x.data()) } -> std::same_as<ag::kernel_node>;
        { g.add_empty() } -> std::same_as<ag::empty_node>;
        g.add_dependency(n, n);
    };
template <class G>
concept clones = requires(const G& g) { g.clone(); };
template <class G>
concept destroys_nodes = requires(G& g, ag::node n) { g.destroy_node(n); };
template <class G>
concept removes_edges = requires(G& g, ag::node n) { g.remove_dependency(n, n); };
template <class G>
concept instantiates_in_place = requires(const G& g) { g.instantiate(); };
template <class G>
concept instantiates_by_move = requires(G&& g) { static_cast<G&&>(g).instantiate(); };
template <class G, class... Options>
concept instantiates_with =
    requires(G&& g, Options&&... options) { static_cast<G&&>(g).instantiate(static_cast<Options&&>(options)...); };
template <class G>
concept launches_itself = requires(G& g, CUstream s) { g.launch(s); } || requires(G& g, CUstream s) { g.upload(s); };

template <class G, kind Kind>
concept as_the_table_says =
    G::kind == Kind && allocates<G> == ag::capabilities_of(Kind).memory_nodes &&
    allocates_somehow<G> == ag::capabilities_of(Kind).memory_nodes && frees<G> == ag::capabilities_of(Kind).memory_nodes &&
    frees_somehow<G> == ag::capabilities_of(Kind).memory_nodes && calls_the_host<G> == ag::capabilities_of(Kind).every_node &&
    sets_copies_and_launches<G> && clones<G> == ag::capabilities_of(Kind).removal &&
    destroys_nodes<G> == ag::capabilities_of(Kind).removal && removes_edges<G> == ag::capabilities_of(Kind).removal &&
    instantiates_by_move<G> == ag::capabilities_of(Kind).instantiable &&
    instantiates_in_place<G> == ag::capabilities_of(Kind).many_executables &&
    std::is_default_constructible_v<G> == ag::capabilities_of(Kind).instantiable &&
    instantiates_with<G, const ag::device_launch_t&> == ag::capabilities_of(Kind).device_launch && !launches_itself<G>;
static_assert(as_the_table_says<ag::basic_graph<kind::plain>, kind::plain>);
static_assert(as_the_table_says<ag::basic_graph<kind::memory>, kind::memory>);
static_assert(as_the_table_says<ag::basic_graph<kind::moved_child>, kind::moved_child>);
static_assert(as_the_table_says<ag::basic_graph<kind::conditional_body>, kind::conditional_body>);
static_assert(as_the_table_says<ag::unchecked_graph, kind::plain>);
static_assert(as_the_table_says<ag::unchecked_memory_graph, kind::memory>);
static_assert(std::is_same_v<ag::graph, ag::basic_graph<kind::plain, ag::checking::on>>);
static_assert(std::is_same_v<ag::memory_graph, ag::basic_graph<kind::memory, ag::checking::on>>);

// Options of an executable, by kind.
using out = ag::fate_list<ag::fate::output, ag::alloc_node<float>>;
using freed = ag::fate_list<ag::fate::auto_free, ag::alloc_node<float>>;
static_assert(instantiates_with<ag::memory_graph, out>);
static_assert(instantiates_with<ag::memory_graph, freed, ag::upload_to>);
static_assert(instantiates_with<ag::memory_graph, ag::upload_to&, const ag::use_node_priorities_t&, out>);
static_assert(!instantiates_with<ag::memory_graph, out&>);
static_assert(!instantiates_with<ag::memory_graph, const out&>);
static_assert(!instantiates_with<ag::memory_graph, out, freed>);
static_assert(!instantiates_with<ag::memory_graph, out, out>);
static_assert(!instantiates_with<ag::memory_graph, freed, ag::device_launch_t>);
static_assert(!instantiates_with<ag::memory_graph, float_token>);
static_assert(!instantiates_with<ag::memory_graph, bool>);
static_assert(!instantiates_with<ag::memory_graph, int>);
static_assert(!instantiates_with<ag::memory_graph, CUgraphInstantiate_flags>);
static_assert(!instantiates_with<ag::memory_graph, CUstream>);
static_assert(!instantiates_with<ag::memory_graph&>);
static_assert(!instantiates_with<ag::memory_graph&, out>);
static_assert(instantiates_with<ag::graph&>);
static_assert(instantiates_with<const ag::graph&, ag::upload_to, const ag::device_launch_t&, const ag::use_node_priorities_t&>);
static_assert(!instantiates_with<ag::graph&, out>);
static_assert(!instantiates_with<ag::graph&, freed>);
static_assert(!instantiates_with<ag::graph&, bool>);

// What a launch returns, by fate.
template <class G, class... Options>
using exec_of = decltype(std::declval<G>().instantiate(std::declval<Options>()...));
template <class Exec>
using launched = decltype(std::declval<Exec&>().launch(std::declval<CUstream>()));
template <class T>
using many_outputs = ag::fate_vector<ag::fate::output, ag::alloc_node<T>>;
template <class T>
using many_freed = ag::fate_vector<ag::fate::auto_free, ag::alloc_node<T>>;
static_assert(std::is_void_v<launched<exec_of<ag::graph&>>>);
static_assert(std::is_void_v<launched<exec_of<ag::memory_graph>>>);
static_assert(std::is_same_v<launched<exec_of<ag::memory_graph, out>>, std::tuple<ag::stream_buffer<float>>>);
using three = ag::fate_list<ag::fate::output, ag::alloc_node<float>, ag::alloc_node<int>, ag::alloc_node<double>>;
static_assert(std::is_same_v<launched<exec_of<ag::memory_graph, three>>,
                             std::tuple<ag::stream_buffer<float>, ag::stream_buffer<int>, ag::stream_buffer<double>>>);
static_assert(std::is_same_v<launched<exec_of<ag::memory_graph, freed>>, std::tuple<ag::device_span<float>>>);
static_assert(std::is_same_v<launched<exec_of<ag::memory_graph, ag::upload_to, freed>>, std::tuple<ag::device_span<float>>>);
static_assert(std::is_same_v<launched<exec_of<ag::memory_graph, many_outputs<float>>>, std::vector<ag::stream_buffer<float>>>);
static_assert(std::is_same_v<launched<exec_of<ag::memory_graph, many_freed<int>>>, std::vector<ag::device_span<int>>>);
static_assert(std::is_same_v<launched<exec_of<ag::unchecked_memory_graph, out>>, std::tuple<ag::stream_buffer<float>>>);

// What an executable hands back, and what it does not take.
template <class Exec>
using handed_back = decltype(std::declval<Exec>().release_graph());
template <class Exec>
concept hands_back = requires(Exec e) { static_cast<Exec&&>(e).release_graph(); };
template <class Exec>
concept adds_nodes =
    requires(Exec& e) { e.add_empty(); } || requires(Exec& e, ag::device_span<float> x) { e.add_memset(x, 0.0f); } ||
    requires(Exec& e) { e.template add_alloc<float>(1); } ||
    requires(Exec& e, float_token&& t) { e.add_free(static_cast<float_token&&>(t)); } ||
    requires(Exec& e, ag::node n) { e.add_dependency(n, n); };
static_assert(std::is_same_v<handed_back<exec_of<ag::memory_graph>>, ag::memory_graph>);
static_assert(std::is_same_v<handed_back<exec_of<ag::memory_graph, out>>, std::tuple<ag::memory_graph, float_token>>);
static_assert(std::is_same_v<handed_back<exec_of<ag::memory_graph, many_outputs<float>>>,
                             std::tuple<ag::memory_graph, std::vector<float_token>>>);
static_assert(hands_back<exec_of<ag::memory_graph>>);
static_assert(!hands_back<exec_of<ag::memory_graph>&>);
static_assert(!hands_back<exec_of<ag::graph&>>);
static_assert(!adds_nodes<exec_of<ag::memory_graph>> && !adds_nodes<exec_of<ag::graph&>> &&
              !adds_nodes<exec_of<ag::memory_graph, out>>);
