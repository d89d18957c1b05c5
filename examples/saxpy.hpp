#pragma once

#include <cuda.h>

#include <allograph/allograph.hpp>
#include <allograph_reference/reference_driver.h>

/// y = a * x + y for n elements, as a module that any GPU since Turing can load.
///
///     __global__ void saxpy(int n, float a, const float* x, float* y);
///
/// On a machine with no GPU the reference driver runs the host function below in its place.
class saxpy_module {
public:
    saxpy_module() {
        const std::size_t sizes[] = {sizeof(int), sizeof(float), sizeof(const float*), sizeof(float*)};
        allograph_reference_register_kernel("saxpy", &on_host, 4, sizes);
        allograph::driver::check(cuModuleLoadData(&module_, ptx), "cuModuleLoadData", {__FILE__, __LINE__});
        const CUresult found = cuModuleGetFunction(&function_, module_, "saxpy");
        if (found != CUDA_SUCCESS) {
            cuModuleUnload(module_);  // no destructor runs for a constructor that throws
        }
        allograph::driver::check(found, "cuModuleGetFunction", {__FILE__, __LINE__});
    }
    saxpy_module(const saxpy_module&) = delete;
    saxpy_module& operator=(const saxpy_module&) = delete;
    ~saxpy_module() { cuModuleUnload(module_); }

    allograph::kernel<void(int, float, const float*, float*)> kernel() const {
        return allograph::kernel<void(int, float, const float*, float*)>(function_, "saxpy");
    }

private:
    static void on_host(const allograph_reference_launch*, void** parameters) {
        const int n = *static_cast<int*>(parameters[0]);
        const float a = *static_cast<float*>(parameters[1]);
        const float* x = *static_cast<const float**>(parameters[2]);
        float* y = *static_cast<float**>(parameters[3]);
        for (int i = 0; i < n; ++i) {
            y[i] = a * x[i] + y[i];
        }
    }

    static constexpr const char* ptx = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry saxpy(
	.param .u32 saxpy_param_0,
	.param .f32 saxpy_param_1,
	.param .u64 saxpy_param_2,
	.param .u64 saxpy_param_3
)
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<5>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<8>;
	ld.param.u32 	%r2, [saxpy_param_0];
	ld.param.f32 	%f1, [saxpy_param_1];
	ld.param.u64 	%rd1, [saxpy_param_2];
	ld.param.u64 	%rd2, [saxpy_param_3];
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
)";

    CUmodule module_ = nullptr;
    CUfunction function_ = nullptr;
};
