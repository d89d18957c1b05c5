// rules: D1 D2 D4 D5
// What may stand as a dependency, and which ranges of it.
#include <allograph/allograph.hpp>

#include <array>
#include <deque>
#include <forward_list>
#include <initializer_list>
#include <list>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ag = allograph;

// A handle: a node, a typed node, an allocation, the driver's handle.
static_assert(ag::node_handle<ag::node>);
static_assert(ag::node_handle<ag::kernel_node>);
static_assert(ag::node_handle<ag::memset_node>);
static_assert(ag::node_handle<ag::memcpy_node>);
static_assert(ag::node_handle<ag::host_node>);
static_assert(ag::node_handle<ag::empty_node>);
static_assert(ag::node_handle<ag::free_node>);
static_assert(ag::node_handle<ag::alloc_node<float>>);
static_assert(ag::node_handle<CUgraphNode>);
static_assert(!ag::node_handle<int>);
static_assert(!ag::node_handle<bool>);
static_assert(!ag::node_handle<void*>);
static_assert(!ag::node_handle<decltype(nullptr)>);
static_assert(!ag::node_handle<CUgraph>);
static_assert(!ag::node_handle<CUstream>);
static_assert(!ag::node_handle<ag::node*>);
static_assert(!ag::node_handle<ag::device_ptr<float>>);
static_assert(!ag::node_handle<ag::device_span<float>>);
static_assert(!ag::node_handle<ag::stream_buffer<float>>);
static_assert(!ag::node_handle<ag::graph>);
static_assert(!ag::node_handle<std::string>);

// A range of them.
static_assert(ag::node_range<std::vector<ag::node>>);
static_assert(ag::node_range<std::vector<ag::node>&>);
static_assert(ag::node_range<const std::vector<ag::node>&>);
static_assert(ag::node_range<std::vector<CUgraphNode>>);
static_assert(ag::node_range<const std::vector<ag::kernel_node>&>);
static_assert(ag::node_range<std::vector<ag::alloc_node<float>>&>);
static_assert(ag::node_range<std::array<ag::node, 3>>);
static_assert(ag::node_range<std::array<ag::node, 0>>);
static_assert(ag::node_range<std::array<CUgraphNode, 3>>);
static_assert(ag::node_range<std::span<const ag::node>>);
static_assert(ag::node_range<std::span<ag::node, 2>>);
static_assert(ag::node_range<std::span<const CUgraphNode>>);
static_assert(ag::node_range<std::initializer_list<ag::node>>);
static_assert(ag::node_range<std::initializer_list<ag::kernel_node>>);
static_assert(ag::node_range<std::list<ag::node>>);
static_assert(ag::node_range<std::forward_list<ag::memset_node>>);
static_assert(ag::node_range<std::deque<ag::node>>);
static_assert(ag::node_range<std::set<CUgraphNode>>);
static_assert(ag::node_range<ag::node (&)[2]>);
static_assert(ag::node_range<const CUgraphNode (&)[2]>);
static_assert(ag::node_range<decltype(ag::after(ag::node{}, ag::node{}))>);
static_assert(!ag::node_range<int>);
static_assert(!ag::node_range<std::vector<int>>);
static_assert(!ag::node_range<std::vector<void*>>);
static_assert(!ag::node_range<std::span<const ag::node*>>);
static_assert(!ag::node_range<ag::node>);
static_assert(!ag::node_range<ag::alloc_node<float>>);
static_assert(!ag::node_range<ag::node*>);
static_assert(!ag::node_range<CUgraphNode*>);
static_assert(!ag::node_range<decltype(nullptr)>);
static_assert(!ag::node_range<std::string>);
static_assert(!ag::node_range<ag::device_span<float>>);

// Views: every adaptor whose elements are handles. Clang 14 and 15 cannot compile libstdc++'s views.
#if !defined(__clang__) || __clang_major__ >= 16
inline constexpr auto to_nodes = [](int) { return ag::node{}; };
inline constexpr auto of_kind = [](const ag::node&) { return true; };
static_assert(ag::node_range<std::ranges::transform_view<std::ranges::iota_view<int, int>, decltype(to_nodes)>>);
static_assert(ag::node_range<std::ranges::filter_view<std::ranges::ref_view<std::vector<ag::node>>, decltype(of_kind)>>);
static_assert(ag::node_range<std::ranges::take_view<std::ranges::ref_view<std::list<ag::node>>>>);
static_assert(ag::node_range<std::ranges::single_view<ag::node>>);
static_assert(ag::node_range<std::ranges::empty_view<ag::node>>);
static_assert(ag::node_range<std::ranges::subrange<std::vector<ag::node>::iterator>>);
static_assert(!ag::node_range<std::ranges::iota_view<int, int>>);
#endif

// Each is taken where dependencies are asked for; nothing else is.
template <class D>
concept dependency_range = std::convertible_to<D, const ag::dependencies&>;
static_assert(dependency_range<std::vector<ag::node>&>);
static_assert(dependency_range<const std::vector<CUgraphNode>&>);
static_assert(dependency_range<std::array<ag::node, 2>>);
static_assert(dependency_range<std::initializer_list<ag::node>>);
static_assert(dependency_range<std::list<ag::kernel_node>&>);
static_assert(dependency_range<const ag::inferred_t&>);
static_assert(dependency_range<ag::after_and_inferred<2>>);
static_assert(!dependency_range<ag::node>);
static_assert(!dependency_range<const ag::alloc_node<float>&>);
static_assert(!dependency_range<CUgraphNode>);
static_assert(!dependency_range<CUgraphNode*>);
static_assert(!dependency_range<const CUgraphNode*>);
static_assert(!dependency_range<const ag::node*>);
static_assert(!dependency_range<decltype(nullptr)>);
static_assert(!dependency_range<int>);
static_assert(!dependency_range<std::vector<int>&>);

// `after` mixes handles and keeps their order; `unique_after` takes ranges only.
template <class... H>
concept can_stand_after = requires(const H&... handles) { ag::after(handles...); };
static_assert(can_stand_after<ag::node, ag::alloc_node<int>, ag::kernel_node, CUgraphNode>);
static_assert(!can_stand_after<>);
static_assert(!can_stand_after<ag::node, ag::device_ptr<int>>);
static_assert(!can_stand_after<std::vector<ag::node>>);
template <class R>
concept can_be_unique = requires(R range) { ag::unique_after(range); };
static_assert(can_be_unique<std::vector<ag::node>>);
static_assert(can_be_unique<std::list<CUgraphNode>>);
static_assert(!can_be_unique<ag::node>);
static_assert(!can_be_unique<std::vector<int>>);

static_assert(ag::dependencies({}).size() == 0);
static_assert(ag::dependencies({ag::node{}, ag::node{}}).size() == 2);
static_assert(ag::dependencies(ag::after(ag::node{}, ag::node{}, ag::node{})).size() == 3);
static_assert(!ag::dependencies(ag::after(ag::node{})).inferred());
static_assert(ag::dependencies(ag::inferred).inferred());
static_assert((ag::after(ag::node{}) + ag::inferred).nodes.size() == 1);
static_assert(ag::dependencies({}, "a.cpp", 7).where().line == 7);

// A node is small and plain: arrays of it may be copied as bytes.
static_assert(std::is_trivially_copyable_v<ag::node>);
static_assert(std::is_trivially_copyable_v<ag::kernel_node>);
static_assert(std::is_standard_layout_v<ag::node>);
static_assert(sizeof(ag::node) == 16);
static_assert(sizeof(ag::kernel_node) == sizeof(ag::node));
static_assert(std::is_nothrow_default_constructible_v<ag::node>);
static_assert(ag::node{} == ag::node{});
static_assert(ag::node{}.get() == nullptr);
static_assert(!std::is_convertible_v<CUgraphNode, ag::node>);
static_assert(!std::is_convertible_v<ag::node, CUgraphNode>);
static_assert(!std::is_default_constructible_v<ag::kernel_node>);
static_assert(!std::is_convertible_v<ag::node, ag::kernel_node>);
static_assert(!std::is_copy_constructible_v<ag::dependencies>);
static_assert(!std::is_move_constructible_v<ag::dependencies>);
