// rules: A8 A9 D1
// The small types, in constant expressions.
#include <allograph/allograph.hpp>

#include <array>
#include <string_view>
#include <type_traits>

namespace ag = allograph;

static_assert(ag::device{}.ordinal == 0 && ag::device{3} == ag::device{3} && ag::device{3} != ag::device{4});
static_assert(!std::is_convertible_v<int, ag::device>);
static_assert(std::is_trivially_copyable_v<ag::device>);

constexpr ag::alloc_options options = ag::named("x").on(ag::device{1}).shared_with(std::array{ag::device{0}, ag::device{2}});
static_assert(std::string_view(options.label()) == "x");
static_assert(options.has_device() && options.where() == ag::device{1});
static_assert(options.peers() == 0b101);
static_assert(options.shared_with(ag::device{63}).peers() == (0b101 | std::uint64_t{1} << 63));
static_assert(ag::alloc_options{}.label() == nullptr && !ag::alloc_options{}.has_device() && ag::alloc_options{}.peers() == 0);
static_assert(ag::on(ag::device{2}).where() == ag::device{2});
static_assert(std::is_trivially_copyable_v<ag::alloc_options>);

static_assert(ag::grid_for(1000, 256).grid == ag::extent{.x = 4});
static_assert(ag::grid_for(1024, 256).grid == ag::extent{.x = 4});
static_assert(ag::grid_for(1025, 256).grid == ag::extent{.x = 5});
static_assert(ag::grid_for(0).grid == ag::extent{} && ag::grid_for(1).block == ag::extent{.x = 256});
static_assert(ag::grid_for(std::size_t{0x7FFFFFFF} * 1024, 1024).grid.x == 0x7FFFFFFF);
static_assert(!ag::launch_config{}.has_cluster());
static_assert(ag::launch_config{.cluster = {.x = 2}}.has_cluster());
static_assert(std::is_aggregate_v<ag::launch_config> && std::is_trivially_copyable_v<ag::launch_config>);

static_assert(!ag::allocation_ref{}.known() && ag::allocation_ref{1, 0}.known());
static_assert(ag::allocation_ref{1, 2} == ag::allocation_ref{1, 2} && ag::allocation_ref{1, 2} != ag::allocation_ref{2, 2});
constexpr ag::device_ptr<float> p(64);
static_assert(ag::reads(p).how == ag::access::read && ag::writes(p).how == ag::access::write);
static_assert(ag::uses(ag::reads(p), ag::writes(p)).items.size() == 2);
static_assert(ag::uses().items.size() == 0);

static_assert(!ag::source_line{}.known() && ag::source_line{"a.cpp", 1}.known());
static_assert(std::is_base_of_v<std::logic_error, ag::misuse>);
static_assert(std::is_nothrow_copy_constructible_v<ag::misuse>);

constexpr ag::kernel<void(int, float*)> named("fill");
static_assert(std::string_view(named.name()) == "fill" && !named.has_function());
static_assert(!ag::kernel<void()>{}.has_function() && ag::kernel<void()>{}.name() == nullptr);
static_assert(std::is_same_v<decltype(named)::signature, void(int, float*)>);
static_assert(std::is_trivially_copyable_v<ag::kernel<void(int, float*)>>);
static_assert(!std::is_convertible_v<CUfunction, ag::kernel<void()>>);
static_assert(!std::is_convertible_v<ag::kernel<void(int)>, ag::kernel<void(unsigned)>>);

// Tags are named, never made by braces.
template <class Tag>
concept made_by_braces = requires { [](Tag) {}({}); };
static_assert(!made_by_braces<ag::zero_t> && !made_by_braces<ag::inferred_t>);
static_assert(!made_by_braces<ag::device_launch_t> && !made_by_braces<ag::use_node_priorities_t>);
static_assert(std::is_empty_v<ag::zero_t> && std::is_empty_v<ag::inferred_t>);
