#pragma once

// Matrix products on a stream: by cuBLAS on a GPU, by a plain kernel on the reference driver.

#include <cublas_v2.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "kernels.hpp"

#include "inference_kernels.cu"

namespace example {

class matrix_products {
public:
    /// What cuBLAS may use beside its operands. It would allocate memory of its own otherwise, which a capture does not survive.
    static constexpr std::size_t workspace_bytes = std::size_t{8} << 20;

    explicit matrix_products(const kernel_module& kernels) : plain_(kernels.get<::product>("product")) {
        if (!allograph_reference_active()) {
            must(cublasCreate(&blas_), "cublasCreate");
        }
    }
    matrix_products(const matrix_products&) = delete;
    matrix_products& operator=(const matrix_products&) = delete;
    ~matrix_products() {
        if (blas_ != nullptr) {
            cublasDestroy(blas_);
        }
    }

    /// @param workspace  of `workspace_bytes`
    void operator()(CUstream stream, const product_shape& s, const float* a, const float* b, float* c, void* workspace) const {
        if (blas_ == nullptr) {
            launch_plain(stream, s, a, b, c);
            return;
        }
        const float zero = 0;
        must(cublasSetStream(blas_, stream), "cublasSetStream");  // forgets the workspace
        must(cublasSetWorkspace(blas_, workspace, workspace_bytes), "cublasSetWorkspace");
        // cuBLAS counts by columns: what is a b by rows is b a to it.
        must(cublasSgemmStridedBatched(blas_, s.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, s.n, s.m, s.k, &s.alpha, b,
                                       s.row_of_b, s.next_of_b, a, s.row_of_a, s.next_of_a, &zero, c, s.row_of_c, s.next_of_c,
                                       s.batch),
             "cublasSgemmStridedBatched");
    }

private:
    static void must(cublasStatus_t status, const char* call) {
        if (status != CUBLAS_STATUS_SUCCESS) {
            throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
        }
    }
    void launch_plain(CUstream stream, product_shape s, const float* a, const float* b, float* c) const {
        void* values[] = {&s, &a, &b, &c};
        const auto grid = allograph::grid_for(static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.m) *
                                              static_cast<std::size_t>(s.n));
        allograph::driver::check(
            cuLaunchKernel(plain_.function(), grid.grid.x, 1, 1, grid.block.x, 1, 1, 0, stream, values, nullptr),
            "cuLaunchKernel", {__FILE__, __LINE__});
    }

    cublasHandle_t blas_ = nullptr;
    allograph::kernel<void(product_shape, const float*, const float*, float*)> plain_;
};

}  // namespace example
