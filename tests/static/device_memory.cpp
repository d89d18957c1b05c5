// rules: A14 O5 X8
// What device memory holds, and what an address of it converts to.
#include <allograph/allograph.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace ag = allograph;

struct particle {
    float position[3];
    int cell;
};
struct alignas(512) aligned_512 {
    char bytes[512];
};
struct alignas(1024) aligned_1024 {
    char bytes[1024];
};
struct with_destructor {
    ~with_destructor() {}
};
struct with_virtual {
    virtual void call() {}
};
enum class color : unsigned char { red };

static_assert(ag::device_element<float>);
static_assert(ag::device_element<bool>);
static_assert(ag::device_element<std::byte>);
static_assert(ag::device_element<color>);
static_assert(ag::device_element<particle>);
static_assert(ag::device_element<float*>);
static_assert(ag::device_element<std::array<double, 4>>);
static_assert(ag::device_element<aligned_512>);
static_assert(ag::device_element<ag::device_ptr<float>>);
static_assert(!ag::device_element<aligned_1024>);
static_assert(!ag::device_element<const float>);
static_assert(!ag::device_element<volatile float>);
static_assert(!ag::device_element<float&>);
static_assert(!ag::device_element<float&&>);
static_assert(!ag::device_element<void>);
static_assert(!ag::device_element<void()>);
static_assert(!ag::device_element<std::string>);
static_assert(!ag::device_element<std::vector<int>>);
static_assert(!ag::device_element<with_destructor>);
static_assert(!ag::device_element<with_virtual>);
static_assert(!ag::device_element<ag::alloc_node<float>>);

// device_ptr<T> becomes device_ptr<const T>, and nothing else by itself.
using pointer = ag::device_ptr<float>;
using const_pointer = ag::device_ptr<const float>;
static_assert(std::is_trivially_copyable_v<pointer>);
static_assert(std::is_nothrow_default_constructible_v<pointer>);
static_assert(std::is_nothrow_convertible_v<pointer, const_pointer>);
static_assert(!std::is_constructible_v<pointer, const_pointer>);
static_assert(!std::is_constructible_v<pointer, ag::device_ptr<int>>);
static_assert(!std::is_constructible_v<const_pointer, ag::device_ptr<const double>>);
static_assert(!std::is_constructible_v<ag::device_ptr<std::byte>, pointer>);
static_assert(!std::is_assignable_v<pointer&, const_pointer>);
static_assert(std::is_assignable_v<const_pointer&, pointer>);
static_assert(std::is_constructible_v<pointer, float*>);
static_assert(!std::is_convertible_v<float*, pointer>);
static_assert(!std::is_constructible_v<pointer, double*>);
static_assert(std::is_constructible_v<pointer, CUdeviceptr>);
static_assert(!std::is_convertible_v<CUdeviceptr, pointer>);
static_assert(!std::is_convertible_v<decltype(nullptr), pointer>);
static_assert(!std::is_convertible_v<pointer, float*>);
static_assert(!std::is_convertible_v<pointer, void*>);
static_assert(!std::is_convertible_v<pointer, CUdeviceptr>);
static_assert(!std::is_convertible_v<pointer, bool>);
static_assert(std::is_constructible_v<bool, pointer>);
static_assert(std::is_same_v<decltype(pointer{}.get()), float*>);
static_assert(std::is_same_v<decltype(const_pointer{}.get()), const float*>);

// The host touches none of it.
template <class P>
concept dereferences = requires(P p) { *p; };
template <class P>
concept indexes = requires(P p) { p[0]; };
template <class P>
concept reaches_members = requires(P p) { p->cell; };
template <class P, class Q = P>
concept subtracts = requires(P p, Q q) { p - q; };
template <class P, class Q = P>
concept compares = requires(P p, Q q) { p == q; };
static_assert(dereferences<float*> && !dereferences<pointer> && !dereferences<const_pointer>);
static_assert(indexes<float*> && !indexes<pointer> && !indexes<ag::device_span<float>> && !indexes<ag::stream_buffer<float>>);
static_assert(reaches_members<particle*> && !reaches_members<ag::device_ptr<particle>>);
static_assert(subtracts<pointer> && !subtracts<pointer, ag::device_ptr<int>> && !subtracts<pointer, float*>);
static_assert(compares<pointer> && !compares<pointer, ag::device_ptr<int>> && !compares<pointer, float*>);
static_assert(!std::ranges::range<ag::device_span<float>>);
static_assert(!std::ranges::range<ag::stream_buffer<float>>);

using view = ag::device_span<float>;
using const_view = ag::device_span<const float>;
static_assert(std::is_trivially_copyable_v<view>);
static_assert(std::is_nothrow_convertible_v<view, const_view>);
static_assert(!std::is_constructible_v<view, const_view>);
static_assert(!std::is_constructible_v<view, ag::device_span<int>>);
static_assert(!std::is_convertible_v<view, std::span<float>>);
static_assert(!std::is_constructible_v<view, std::span<float>>);
static_assert(!std::is_constructible_v<view, std::vector<float>&>);
static_assert(!std::is_constructible_v<view, float*, std::size_t>);
static_assert(!std::is_convertible_v<pointer, view>);
static_assert(std::is_constructible_v<view, pointer, std::size_t>);

// All of it in constant expressions.
constexpr pointer base(4096);
static_assert(base.address() == 4096);
static_assert((base + 3).address() == 4096 + 12);
static_assert((base + 3 - 2).address() == 4096 + 4);
static_assert(base + 3 - base == 3);
static_assert(base - (base + 3) == -3);
static_assert(static_cast<bool>(base) && !static_cast<bool>(pointer{}));
static_assert(const_pointer(base).address() == 4096);
static_assert(base == pointer(4096) && base != pointer(4100));
static_assert(!base.allocation().known());
constexpr view whole(base, 100);
static_assert(whole.size() == 100 && whole.size_bytes() == 400 && !whole.empty() && view{}.empty());
static_assert(whole.first(10).size() == 10 && whole.last(10).data() == base + 90);
static_assert(whole.subspan(90, 10).data() == base + 90);
static_assert(whole.subspan(100, 0).empty());
static_assert(const_view(whole).size() == 100);
