#pragma once

#include <cuda.h>

#include <cstddef>
#include <iterator>

#include <allograph/allograph.hpp>
#include <allograph_reference/reference_driver.h>

/// What a kernel may take by value besides numbers.
struct parameter_pair {
    int first;
    float second;
};

/// The kernels of the tests: as PTX for any GPU since Turing, and as host functions for the reference driver.
///
///     scale_add(int n, float a, const float* x, float* y)     y = a * x + y
///     shape(unsigned* what)     what[0..2] the grid, [3..5] the block, [6] dynamic shared bytes; each thread adds 1 to [7]
///     parameters(signed char a, unsigned short b, long long c, double d, parameter_pair e, const unsigned* from, double* to)
///                               to[0..3] = a, b, c, d; to[4..5] = e; to[6] = from[0]
///     nothing()
namespace test_kernels {

using scale_add_kernel = allograph::kernel<void(int, float, const float*, float*)>;
using shape_kernel = allograph::kernel<void(unsigned*)>;
using parameters_kernel =
    allograph::kernel<void(signed char, unsigned short, long long, double, parameter_pair, const unsigned*, double*)>;
using nothing_kernel = allograph::kernel<void()>;

namespace detail {

template <class T>
T& parameter(void** parameters, int i) {
    return *static_cast<T*>(parameters[i]);
}

inline void scale_add(const allograph_reference_launch*, void** p) {
    const auto* x = parameter<const float*>(p, 2);
    auto* y = parameter<float*>(p, 3);
    for (int i = 0; i < parameter<int>(p, 0); ++i) {
        y[i] = parameter<float>(p, 1) * x[i] + y[i];
    }
}

inline void shape(const allograph_reference_launch* launch, void** p) {
    auto* what = parameter<unsigned*>(p, 0);
    unsigned threads = 1;
    for (int i = 0; i < 3; ++i) {
        what[i] = launch->grid[i];
        what[3 + i] = launch->block[i];
        threads *= launch->grid[i] * launch->block[i];
    }
    what[6] = launch->shared_bytes;
    what[7] += threads;
}

inline void parameters(const allograph_reference_launch*, void** p) {
    auto* to = parameter<double*>(p, 6);
    to[0] = parameter<signed char>(p, 0);
    to[1] = parameter<unsigned short>(p, 1);
    to[2] = static_cast<double>(parameter<long long>(p, 2));
    to[3] = parameter<double>(p, 3);
    to[4] = parameter<parameter_pair>(p, 4).first;
    to[5] = static_cast<double>(parameter<parameter_pair>(p, 4).second);
    to[6] = *parameter<const unsigned*>(p, 5);
}

inline void nothing(const allograph_reference_launch*, void**) {}

inline constexpr const char* ptx = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry scale_add(
	.param .u32 scale_add_param_0,
	.param .f32 scale_add_param_1,
	.param .u64 scale_add_param_2,
	.param .u64 scale_add_param_3
)
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<5>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<8>;
	ld.param.u32 	%r2, [scale_add_param_0];
	ld.param.f32 	%f1, [scale_add_param_1];
	ld.param.u64 	%rd1, [scale_add_param_2];
	ld.param.u64 	%rd2, [scale_add_param_3];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB0_2;
	cvta.to.global.u64 	%rd3, %rd2;
	cvta.to.global.u64 	%rd4, %rd1;
	mul.wide.s32 	%rd5, %r1, 4;
	add.s64 	%rd6, %rd4, %rd5;
	ld.global.f32 	%f2, [%rd6];
	add.s64 	%rd7, %rd3, %rd5;
	ld.global.f32 	%f3, [%rd7];
	fma.rn.f32 	%f4, %f2, %f1, %f3;
	st.global.f32 	[%rd7], %f4;
$L__BB0_2:
	ret;
}
.visible .entry shape(
	.param .u64 shape_param_0
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<20>;
	.reg .b64 	%rd<4>;
	ld.param.u64 	%rd2, [shape_param_0];
	cvta.to.global.u64 	%rd1, %rd2;
	mov.u32 	%r1, %tid.y;
	mov.u32 	%r2, %tid.x;
	or.b32  	%r3, %r2, %r1;
	mov.u32 	%r4, %tid.z;
	or.b32  	%r5, %r3, %r4;
	mov.u32 	%r6, %ctaid.x;
	or.b32  	%r7, %r5, %r6;
	mov.u32 	%r8, %ctaid.y;
	or.b32  	%r9, %r7, %r8;
	mov.u32 	%r10, %ctaid.z;
	or.b32  	%r11, %r9, %r10;
	setp.ne.s32 	%p1, %r11, 0;
	@%p1 bra 	$L__BB1_2;
	mov.u32 	%r13, %nctaid.x;
	st.global.u32 	[%rd1], %r13;
	mov.u32 	%r14, %nctaid.y;
	st.global.u32 	[%rd1+4], %r14;
	mov.u32 	%r15, %nctaid.z;
	st.global.u32 	[%rd1+8], %r15;
	mov.u32 	%r16, %ntid.x;
	st.global.u32 	[%rd1+12], %r16;
	mov.u32 	%r17, %ntid.y;
	st.global.u32 	[%rd1+16], %r17;
	mov.u32 	%r18, %ntid.z;
	st.global.u32 	[%rd1+20], %r18;
	mov.u32 %r12, %dynamic_smem_size;
	st.global.u32 	[%rd1+24], %r12;
$L__BB1_2:
	add.s64 	%rd3, %rd1, 28;
	atom.global.add.u32 	%r19, [%rd3], 1;
	ret;
}
.visible .entry parameters(
	.param .u8 parameters_param_0,
	.param .u16 parameters_param_1,
	.param .u64 parameters_param_2,
	.param .f64 parameters_param_3,
	.param .align 4 .b8 parameters_param_4[8],
	.param .u64 parameters_param_5,
	.param .u64 parameters_param_6
)
{
	.reg .b16 	%rs<3>;
	.reg .f32 	%f<2>;
	.reg .b32 	%r<3>;
	.reg .f64 	%fd<8>;
	.reg .b64 	%rd<6>;
	ld.param.s8 	%rs1, [parameters_param_0];
	ld.param.u16 	%rs2, [parameters_param_1];
	ld.param.u64 	%rd1, [parameters_param_2];
	ld.param.f64 	%fd1, [parameters_param_3];
	ld.param.u64 	%rd2, [parameters_param_5];
	ld.param.u64 	%rd3, [parameters_param_6];
	ld.param.f32 	%f1, [parameters_param_4+4];
	ld.param.u32 	%r1, [parameters_param_4];
	cvta.to.global.u64 	%rd4, %rd2;
	cvta.to.global.u64 	%rd5, %rd3;
	cvt.rn.f64.s16 	%fd2, %rs1;
	st.global.f64 	[%rd5], %fd2;
	cvt.rn.f64.u16 	%fd3, %rs2;
	st.global.f64 	[%rd5+8], %fd3;
	cvt.rn.f64.s64 	%fd4, %rd1;
	st.global.f64 	[%rd5+16], %fd4;
	st.global.f64 	[%rd5+24], %fd1;
	cvt.rn.f64.s32 	%fd5, %r1;
	st.global.f64 	[%rd5+32], %fd5;
	cvt.f64.f32 	%fd6, %f1;
	st.global.f64 	[%rd5+40], %fd6;
	ld.global.u32 	%r2, [%rd4];
	cvt.rn.f64.u32 	%fd7, %r2;
	st.global.f64 	[%rd5+48], %fd7;
	ret;
}
.visible .entry nothing()
{
	ret;
}
)";

template <std::size_t N>
void stand_in(const char* name, allograph_reference_kernel function, const std::size_t (&sizes)[N]) {
    allograph_reference_register_kernel(name, function, N, sizes);
}

inline void register_all() {
    constexpr std::size_t pointer = sizeof(void*);
    stand_in("scale_add", &scale_add, {sizeof(int), sizeof(float), pointer, pointer});
    stand_in("shape", &shape, {pointer});
    stand_in("parameters", &parameters, {1, 2, 8, sizeof(double), sizeof(parameter_pair), pointer, pointer});
    allograph_reference_register_kernel("nothing", &nothing, 0, nullptr);
}

inline CUfunction function(const char* name) {
    static const CUmodule module = [] {
        const allograph::stream needs_a_context;
        register_all();
        CUmodule loaded = nullptr;
        allograph::driver::check(cuModuleLoadData(&loaded, ptx), "cuModuleLoadData", {__FILE__, __LINE__});
        return loaded;  // for the life of the process
    }();
    CUfunction found = nullptr;
    allograph::driver::check(cuModuleGetFunction(&found, module, name), "cuModuleGetFunction", {__FILE__, __LINE__});
    return found;
}

inline CUkernel library_kernel(const char* name) {
    static const CUlibrary library = [] {
        const allograph::stream needs_a_context;
        register_all();
        CUlibrary loaded = nullptr;
        allograph::driver::check(cuLibraryLoadData(&loaded, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0), "cuLibraryLoadData",
                                 {__FILE__, __LINE__});
        return loaded;
    }();
    CUkernel found = nullptr;
    allograph::driver::check(cuLibraryGetKernel(&found, library, name), "cuLibraryGetKernel", {__FILE__, __LINE__});
    return found;
}

}  // namespace detail

inline scale_add_kernel scale_add() { return scale_add_kernel(detail::function("scale_add"), "scale_add"); }
inline scale_add_kernel scale_add_of_a_library() { return scale_add_kernel(detail::library_kernel("scale_add"), "scale_add"); }
inline shape_kernel shape() { return shape_kernel(detail::function("shape"), "shape"); }
inline parameters_kernel parameters() { return parameters_kernel(detail::function("parameters"), "parameters"); }
inline nothing_kernel nothing() { return nothing_kernel(detail::function("nothing"), "nothing"); }

}  // namespace test_kernels
