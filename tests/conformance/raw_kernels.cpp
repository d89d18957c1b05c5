// The kernels of the raw tests: PTX for a GPU, the same as host functions for the reference driver.
#include "raw.hpp"

namespace raw {
#ifdef RAW_HAS_REFERENCE_HEADER
namespace {

// Each goes over all its threads, as every host function does.
std::size_t threads_of(const allograph_reference_launch& launch) {
    std::size_t threads = 1;
    for (int axis = 0; axis < 3; ++axis)
        threads *= std::size_t{launch.grid[axis]} * launch.block[axis];
    return threads;
}

template <class T>
T argument(void** params, int index) {
    T value;
    std::memcpy(&value, params[index], sizeof value);
    return value;
}

void host_fill(const allograph_reference_launch* launch, void** params) {
    int* p = argument<int*>(params, 0);
    const int value = argument<int>(params, 1);
    const auto count = static_cast<std::size_t>(argument<int>(params, 2));
    for (std::size_t thread = 0; thread < threads_of(*launch); ++thread)
        if (thread < count)
            p[thread] = value;
}

void host_add(const allograph_reference_launch* launch, void** params) {
    const int* a = argument<const int*>(params, 0);
    int* b = argument<int*>(params, 1);
    const auto count = static_cast<std::size_t>(argument<int>(params, 2));
    for (std::size_t thread = 0; thread < threads_of(*launch); ++thread)
        if (thread < count)
            b[thread] += a[thread];
}

}  // namespace

void register_host_kernels() {
    constexpr std::size_t fill_sizes[] = {sizeof(int*), sizeof(int), sizeof(int)};
    constexpr std::size_t add_sizes[] = {sizeof(int*), sizeof(int*), sizeof(int)};
    allograph_reference_register_kernel("raw_fill", host_fill, 3, fill_sizes);
    allograph_reference_register_kernel("raw_slow_fill", host_fill, 3, fill_sizes);
    allograph_reference_register_kernel("raw_add", host_add, 3, add_sizes);
    allograph_reference_set_parameter_read_only("raw_add", 0);
}
#else
void register_host_kernels() {}
#endif

// From: __global__ void raw_fill(int* p, int value, int count), raw_slow_fill (waits 20,000,000 clocks first) and
// raw_add(const int* a, int* b, int count), by nvcc -ptx -arch=sm_75; the version lowered so that older drivers take it.
const char* const kernel_image = R"ptx(
.version 6.4
.target sm_75
.address_size 64

.visible .entry raw_fill(
	.param .u64 raw_fill_param_0,
	.param .u32 raw_fill_param_1,
	.param .u32 raw_fill_param_2
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<7>;
	.reg .b64 	%rd<5>;

	ld.param.u64 	%rd1, [raw_fill_param_0];
	ld.param.u32 	%r2, [raw_fill_param_1];
	ld.param.u32 	%r3, [raw_fill_param_2];
	mov.u32 	%r4, %ctaid.x;
	mov.u32 	%r5, %ntid.x;
	mov.u32 	%r6, %tid.x;
	mad.lo.s32 	%r1, %r4, %r5, %r6;
	setp.ge.s32 	%p1, %r1, %r3;
	@%p1 bra 	$L__BB0_2;

	cvta.to.global.u64 	%rd2, %rd1;
	mul.wide.s32 	%rd3, %r1, 4;
	add.s64 	%rd4, %rd2, %rd3;
	st.global.u32 	[%rd4], %r2;

$L__BB0_2:
	ret;

}
.visible .entry raw_slow_fill(
	.param .u64 raw_slow_fill_param_0,
	.param .u32 raw_slow_fill_param_1,
	.param .u32 raw_slow_fill_param_2
)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<7>;
	.reg .b64 	%rd<9>;

	ld.param.u64 	%rd4, [raw_slow_fill_param_0];
	ld.param.u32 	%r2, [raw_slow_fill_param_1];
	ld.param.u32 	%r3, [raw_slow_fill_param_2];
	cvta.to.global.u64 	%rd1, %rd4;
	// begin inline asm
	mov.u64 	%rd3, %clock64;
	// end inline asm

$L__BB1_1:
	// begin inline asm
	mov.u64 	%rd5, %clock64;
	// end inline asm
	sub.s64 	%rd6, %rd5, %rd3;
	setp.lt.s64 	%p1, %rd6, 20000000;
	@%p1 bra 	$L__BB1_1;

	mov.u32 	%r4, %ctaid.x;
	mov.u32 	%r5, %ntid.x;
	mov.u32 	%r6, %tid.x;
	mad.lo.s32 	%r1, %r4, %r5, %r6;
	setp.ge.s32 	%p2, %r1, %r3;
	@%p2 bra 	$L__BB1_4;

	mul.wide.s32 	%rd7, %r1, 4;
	add.s64 	%rd8, %rd1, %rd7;
	st.global.u32 	[%rd8], %r2;

$L__BB1_4:
	ret;

}
.visible .entry raw_add(
	.param .u64 raw_add_param_0,
	.param .u64 raw_add_param_1,
	.param .u32 raw_add_param_2
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<8>;

	ld.param.u64 	%rd1, [raw_add_param_0];
	ld.param.u64 	%rd2, [raw_add_param_1];
	ld.param.u32 	%r2, [raw_add_param_2];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB2_2;

	cvta.to.global.u64 	%rd3, %rd1;
	mul.wide.s32 	%rd4, %r1, 4;
	add.s64 	%rd5, %rd3, %rd4;
	cvta.to.global.u64 	%rd6, %rd2;
	add.s64 	%rd7, %rd6, %rd4;
	ld.global.u32 	%r6, [%rd7];
	ld.global.u32 	%r7, [%rd5];
	add.s32 	%r8, %r6, %r7;
	st.global.u32 	[%rd7], %r8;

$L__BB2_2:
	ret;

}

)ptx";

}  // namespace raw
