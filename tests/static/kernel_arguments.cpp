// rules: O1 O5 O6
// Which argument passes for which parameter of a kernel.
#include <allograph/allograph.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ag = allograph;

struct pair {
    int a, b;
};
enum class mode : int { fast };
enum plain_mode : int { slow };

template <class Param, class Arg>
concept passes = requires(ag::memory_graph& g, ag::kernel<void(Param)> k, Arg arg) { g.add_kernel({}, k, {}, arg); } &&
                 requires(ag::memory_graph& g, ag::kernel<void(Param)> k, Arg arg) { g.add_kernel(k, ag::launch_config{}, arg); };
template <class Param, class Arg>
concept passes_somehow = requires(ag::memory_graph& g, ag::kernel<void(Param)> k, Arg arg) {
    g.add_kernel({}, k, {}, arg);
} || requires(ag::memory_graph& g, ag::kernel<void(Param)> k, Arg arg) { g.add_kernel(k, ag::launch_config{}, arg); };

// Device pointers: to the same type, const may be added.
static_assert(passes<float*, ag::device_ptr<float>>);
static_assert(passes<const float*, ag::device_ptr<float>>);
static_assert(passes<const float*, ag::device_ptr<const float>>);
static_assert(passes<void*, ag::device_ptr<float>>);
static_assert(passes<const void*, ag::device_ptr<const float>>);
static_assert(!passes_somehow<float*, ag::device_ptr<const float>>);
static_assert(!passes_somehow<void*, ag::device_ptr<const float>>);
static_assert(!passes_somehow<float*, ag::device_ptr<double>>);
static_assert(!passes_somehow<unsigned*, ag::device_ptr<int>>);
static_assert(!passes_somehow<float**, ag::device_ptr<float>>);
static_assert(!passes_somehow<std::size_t, ag::device_ptr<float>>);
static_assert(!passes_somehow<CUdeviceptr, ag::device_ptr<float>>);
static_assert(!passes_somehow<float, ag::device_ptr<float>>);
static_assert(!passes_somehow<bool, ag::device_ptr<float>>);

// What holds memory is not the pointer to it.
static_assert(!passes_somehow<float*, const ag::alloc_node<float>&>);
static_assert(!passes_somehow<float*, ag::device_span<float>>);
static_assert(!passes_somehow<float*, const ag::stream_buffer<float>&>);
static_assert(!passes_somehow<float*, std::vector<float>&>);
static_assert(!passes_somehow<float*, CUdeviceptr>);

// Raw pointers, for memory that the graph does not know.
static_assert(passes<float*, float*>);
static_assert(passes<const float*, float*>);
static_assert(passes<float*, decltype(nullptr)>);
static_assert(!passes_somehow<float*, const float*>);
static_assert(!passes_somehow<float*, double*>);
static_assert(!passes_somehow<float*, int>);

// Whole numbers among themselves: their value is looked at when the node is added.
static_assert(passes<int, int> && passes<int, std::size_t> && passes<std::uint8_t, int> && passes<std::int64_t, unsigned>);
static_assert(passes<unsigned, int> && passes<char, int> && passes<int, short>);
static_assert(!passes_somehow<int, float> && !passes_somehow<int, double>);
static_assert(!passes_somehow<int, bool> && !passes_somehow<std::size_t, bool>);
static_assert(!passes_somehow<bool, int> && passes<bool, bool>);
static_assert(!passes_somehow<int, mode> && passes<mode, mode> && !passes_somehow<mode, int*>);
static_assert(passes<int, plain_mode>);

// Numbers with a point: nothing that could lose digits.
static_assert(passes<float, float> && passes<double, double> && passes<double, float>);
static_assert(!passes_somehow<float, double> && !passes_somehow<float, int> && !passes_somehow<double, int>);
static_assert(!passes_somehow<float, bool>);

// Values of classes.
static_assert(passes<pair, pair> && passes<pair, const pair&>);
static_assert(!passes_somehow<pair, ag::device_ptr<pair>>);
static_assert(passes<ag::device_ptr<float>*, ag::device_ptr<ag::device_ptr<float>>>);

// As many as the signature has; `uses` may follow.
template <class... Args>
concept runs = requires(ag::memory_graph& g, ag::kernel<void(int, float*)> k, Args... args) { g.add_kernel({}, k, {}, args...); };
using pointer = ag::device_ptr<float>;
static_assert(runs<int, pointer>);
static_assert(runs<int, pointer, ag::use_list<1>>);
static_assert(runs<int, pointer, ag::use_list<3>>);
static_assert(!runs<> && !runs<int> && !runs<int, pointer, int> && !runs<pointer, int>);
static_assert(!runs<int, ag::use_list<1>, pointer> && !runs<ag::use_list<1>> && !runs<int, pointer, ag::memory_use>);
static_assert(!runs<int, pointer, ag::use_list<1>, ag::use_list<1>>);

template <class K>
concept is_a_kernel = requires(ag::memory_graph& g, K k) { g.add_kernel({}, k, ag::launch_config{}); };
static_assert(is_a_kernel<ag::kernel<void()>>);
static_assert(!is_a_kernel<CUfunction> && !is_a_kernel<CUkernel> && !is_a_kernel<void (*)()> && !is_a_kernel<const char*>);
template <class C>
concept configures = requires(ag::memory_graph& g, ag::kernel<void()> k, C c) { g.add_kernel({}, k, c); } &&
                     requires(ag::memory_graph& g, ag::kernel<void()> k, C c) { g.add_kernel(k, c); };
static_assert(configures<ag::launch_config> && configures<const ag::launch_config&>);
static_assert(!configures<int> && !configures<ag::extent>);
