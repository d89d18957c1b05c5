// rules: F1 F8 F10 G1 G5 X10
// Who owns: one token an allocation, one buffer an output, one executable a graph; none of them is copied.
#include <allograph/allograph.hpp>

#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ag = allograph;

template <class T>
concept move_only = std::is_move_constructible_v<T> && !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
template <class T>
concept moves_without_throwing = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>;

using token = ag::alloc_node<float>;
static_assert(move_only<token> && moves_without_throwing<token>);
static_assert(!std::is_default_constructible_v<token>);
static_assert(!std::is_move_assignable_v<token>);
static_assert(!std::is_assignable_v<token&, token>);
static_assert(!std::is_constructible_v<token, token&>);
static_assert(!std::is_constructible_v<token, const token&>);
static_assert(!std::is_constructible_v<token, const token>);
static_assert(!std::is_constructible_v<token, ag::node>);
static_assert(!std::is_constructible_v<token, ag::alloc_node<int>>);
static_assert(!std::is_constructible_v<token, ag::device_ptr<float>>);
static_assert(!std::is_constructible_v<token, ag::node, std::uint64_t, std::size_t, std::uint32_t>);
static_assert(!std::is_swappable_v<token>);
static_assert(std::is_nothrow_convertible_v<const token&, ag::node>);
static_assert(!std::is_convertible_v<token, CUgraphNode>);
static_assert(!std::is_convertible_v<token, CUdeviceptr>);
static_assert(!std::is_convertible_v<token, ag::device_ptr<float>>);
static_assert(!std::is_convertible_v<token, bool>);
static_assert(sizeof(token) <= 40);
static_assert(moves_without_throwing<std::vector<token>>);
static_assert(move_only<std::optional<token>>);

using buffer = ag::stream_buffer<float>;
static_assert(move_only<buffer> && moves_without_throwing<buffer>);
static_assert(std::is_nothrow_move_assignable_v<buffer>);
static_assert(!std::is_default_constructible_v<buffer>);
static_assert(!std::is_constructible_v<buffer, buffer&>);
static_assert(!std::is_assignable_v<buffer&, buffer&>);
static_assert(!std::is_assignable_v<buffer&, const buffer&>);
static_assert(!std::is_constructible_v<buffer, token>);
static_assert(!std::is_constructible_v<buffer, ag::device_span<float>, CUstream>);
static_assert(!std::is_constructible_v<buffer, ag::stream_buffer<int>>);
static_assert(!std::is_convertible_v<buffer, CUdeviceptr>);
static_assert(!std::is_convertible_v<buffer, float*>);

template <class Graph>
concept owns_its_graph = move_only<Graph> && moves_without_throwing<Graph> && std::is_nothrow_move_assignable_v<Graph> &&
                         !std::is_constructible_v<Graph, Graph&> && !std::is_assignable_v<Graph&, Graph&> &&
                         std::is_default_constructible_v<Graph> && std::is_constructible_v<Graph, ag::device> &&
                         !std::is_convertible_v<ag::device, Graph> && !std::is_constructible_v<Graph, CUgraph> &&
                         !std::is_constructible_v<Graph, decltype(nullptr)> && !std::is_constructible_v<Graph, int>;
static_assert(owns_its_graph<ag::graph>);
static_assert(owns_its_graph<ag::memory_graph>);
static_assert(owns_its_graph<ag::unchecked_graph>);
static_assert(owns_its_graph<ag::unchecked_memory_graph>);
static_assert(!std::is_constructible_v<ag::graph, ag::memory_graph>);
static_assert(!std::is_constructible_v<ag::memory_graph, ag::graph>);
static_assert(!std::is_constructible_v<ag::memory_graph, ag::unchecked_memory_graph>);
static_assert(!std::is_convertible_v<ag::memory_graph, CUgraph>);

template <class Exec>
concept owns_its_executable = move_only<Exec> && moves_without_throwing<Exec> && std::is_nothrow_move_assignable_v<Exec> &&
                              !std::is_default_constructible_v<Exec> && !std::is_constructible_v<Exec, Exec&> &&
                              !std::is_convertible_v<Exec, CUgraphExec> && !std::is_constructible_v<Exec, CUgraphExec>;
using outputs_of_two = ag::fate_list<ag::fate::output, ag::alloc_node<float>, ag::alloc_node<int>>;
using auto_freed = ag::fate_vector<ag::fate::auto_free, ag::alloc_node<float>>;
static_assert(owns_its_executable<ag::graph_exec<ag::graph_kind::plain, ag::checking::on>>);
static_assert(owns_its_executable<ag::graph_exec<ag::graph_kind::memory, ag::checking::on>>);
static_assert(owns_its_executable<ag::graph_exec<ag::graph_kind::memory, ag::checking::on, outputs_of_two>>);
static_assert(owns_its_executable<ag::graph_exec<ag::graph_kind::memory, ag::checking::off, outputs_of_two>>);
static_assert(owns_its_executable<ag::graph_exec<ag::graph_kind::memory, ag::checking::on, auto_freed>>);
static_assert(move_only<outputs_of_two> && moves_without_throwing<outputs_of_two>);
static_assert(move_only<auto_freed> && moves_without_throwing<auto_freed>);

static_assert(move_only<ag::stream> && moves_without_throwing<ag::stream> && std::is_nothrow_move_assignable_v<ag::stream>);
static_assert(std::is_trivially_copyable_v<ag::stream_ref>);
static_assert(sizeof(ag::alloc_node<float>) == 40);
static_assert(sizeof(ag::alloc_node<float, ag::checking::off>) == 3 * sizeof(void*));
static_assert(sizeof(ag::stream_ref) == sizeof(CUstream));
static_assert(std::is_convertible_v<CUstream, ag::stream_ref>);
static_assert(std::is_convertible_v<const ag::stream&, ag::stream_ref>);
static_assert(std::is_convertible_v<ag::stream&, CUstream>);
static_assert(std::is_convertible_v<decltype(nullptr), ag::stream_ref>);
static_assert(!std::is_convertible_v<int, ag::stream_ref>);
static_assert(!std::is_convertible_v<bool, ag::stream_ref>);
static_assert(!std::is_convertible_v<unsigned long, ag::stream_ref>);
static_assert(!std::is_convertible_v<ag::device, ag::stream_ref>);
static_assert(!std::is_convertible_v<CUgraph, ag::stream_ref>);
static_assert(!std::is_default_constructible_v<ag::stream_ref>);

// What leaves a graph: tokens that are moved, or one vector of them.
template <class... M>
concept leaves_as_output = requires(M&&... tokens) { ag::outputs(static_cast<M&&>(tokens)...); };
template <class... M>
concept leaves_as_auto_freed = requires(M&&... tokens) { ag::auto_free(static_cast<M&&>(tokens)...); };
static_assert(leaves_as_output<token> && leaves_as_auto_freed<token>);
static_assert(leaves_as_output<token, ag::alloc_node<int>>);
static_assert(leaves_as_output<std::vector<token>> && leaves_as_auto_freed<std::vector<token>>);
static_assert(!leaves_as_output<token&> && !leaves_as_auto_freed<token&>);
static_assert(!leaves_as_output<const token> && !leaves_as_auto_freed<const token>);
static_assert(!leaves_as_output<token, token&>);
static_assert(!leaves_as_output<std::vector<token>&> && !leaves_as_auto_freed<std::vector<token>&>);
static_assert(!leaves_as_output<std::vector<token>, token>);
static_assert(!leaves_as_output<ag::device_ptr<float>> && !leaves_as_auto_freed<ag::device_span<float>>);
static_assert(!leaves_as_output<ag::node> && !leaves_as_output<ag::memset_node>);
static_assert(std::is_same_v<decltype(ag::outputs(std::declval<token>(), std::declval<ag::alloc_node<int>>())), outputs_of_two>);
static_assert(std::is_same_v<decltype(ag::auto_free(std::declval<std::vector<token>>())), auto_freed>);
