// Which kind of graph takes which node, as the compiler sees it: the same table as the manual's.

#include <allograph/allograph.hpp>

namespace ag = allograph;

namespace {

template <class G>
concept takes_events = requires(G& g, CUevent event) { g.add_event_record(ag::after(ag::node()), event); };
template <class G>
concept takes_batches =
    requires(G& g, std::span<const CUstreamBatchMemOpParams> batch) { g.add_batch_mem_op(ag::after(ag::node()), batch); };
template <class G, class Child>
concept takes_child = requires(G& g, Child&& child) { g.add_child(ag::after(ag::node()), static_cast<Child&&>(child)); };
template <class G>
concept takes_conditionals = requires(G& g, ag::condition& decides) {
    g.add_if(ag::after(ag::node()), decides);
    g.add_while(ag::after(ag::node()), decides);
    g.make_condition(1);
};
template <class Exec, class Node>
concept switches = requires(Exec& exec, const Node& n) { exec.set_enabled(n, false); };
template <class Exec, class Graph>
concept takes_over = requires(Exec& exec, const Graph& other) { exec.update(other); };
template <class G, class From, class To>
concept starts_early = requires(G& g, const From& from, const To& to) { g.add_programmatic_dependency(from, to); };

using moved = ag::basic_graph<ag::graph_kind::moved_child>;
using body = ag::basic_graph<ag::graph_kind::conditional_body>;
using plain_exec = ag::graph_exec<ag::graph_kind::plain, ag::checking::on>;
using memory_exec = ag::graph_exec<ag::graph_kind::memory, ag::checking::on>;

static_assert(takes_events<ag::graph> && takes_events<ag::memory_graph> && takes_events<moved> && !takes_events<body>);
static_assert(takes_batches<ag::graph> && takes_batches<ag::memory_graph> && takes_batches<moved> && !takes_batches<body>);
static_assert(takes_conditionals<ag::graph> && takes_conditionals<ag::memory_graph> && takes_conditionals<moved> &&
              takes_conditionals<body>);

// By copy, on every kind.
static_assert(takes_child<ag::graph, ag::graph&> && takes_child<ag::memory_graph, const ag::graph&> &&
              takes_child<moved, ag::graph&> && takes_child<body, ag::graph>);
// By move, on a memory graph alone (G4, C1, C3, C16), where the headers know how.
static_assert(takes_child<ag::memory_graph, ag::memory_graph> == ag::driver::moves_children);
static_assert(!takes_child<ag::memory_graph, ag::memory_graph&> && !takes_child<ag::memory_graph, const ag::memory_graph>);
static_assert(!takes_child<ag::graph, ag::memory_graph> && !takes_child<moved, ag::memory_graph> &&
              !takes_child<body, ag::memory_graph>);
static_assert(!takes_child<ag::memory_graph, moved> && !takes_child<ag::graph, body&> &&
              !takes_child<ag::memory_graph, memory_exec>);
static_assert(!takes_child<ag::graph, ag::unchecked_graph&> && !takes_child<ag::unchecked_memory_graph, ag::memory_graph>);

static_assert(starts_early<ag::graph, ag::kernel_node, ag::kernel_node> && starts_early<moved, ag::kernel_node, ag::kernel_node>);
static_assert(!starts_early<ag::graph, ag::memset_node, ag::kernel_node> &&
              !starts_early<ag::graph, ag::kernel_node, ag::host_node> &&
              !starts_early<ag::graph, ag::node, ag::kernel_node>);  // D8

static_assert(switches<memory_exec, ag::kernel_node> && switches<memory_exec, ag::memset_node> &&
              switches<plain_exec, ag::memcpy_node>);
static_assert(!switches<memory_exec, ag::free_node> && !switches<memory_exec, ag::alloc_node<int>> &&
              !switches<plain_exec, ag::host_node> && !switches<plain_exec, ag::node>);  // G6
static_assert(takes_over<plain_exec, ag::graph> && !takes_over<memory_exec, ag::memory_graph> &&
              !takes_over<plain_exec, ag::memory_graph>);  // G9

// A child and a body are held by another graph: they move, and are not copied.
static_assert(std::is_nothrow_move_constructible_v<moved> && std::is_nothrow_move_assignable_v<body> &&
              !std::is_copy_constructible_v<body>);
static_assert(!std::is_default_constructible_v<moved> && !std::is_default_constructible_v<body>);
static_assert(!std::is_copy_constructible_v<ag::condition> && std::is_convertible_v<const ag::condition&, unsigned long long>);

}  // namespace
