// Conjugate gradients with the diagonal as preconditioner, one kernel for each step whose sums the next one needs.
//
// A sum over a vector takes two kernels: every block leaves a part of it, and one block adds the parts up. So a result depends
// on the number of blocks alone, not on which of them came first.

#include "block_sum.hpp"

/// What the steps leave each other.
struct cg_state {
    double rz;     // residual times preconditioned residual
    double alpha;  // length of the step
    double beta;   // how much of the last direction stays
    double limit;  // square of the residual norm that is small enough
    int iterations;
    int broken;  // 1 where the matrix was found not to be positive definite
};

__device__ inline int first_of_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ inline int threads() { return static_cast<int>(gridDim.x * blockDim.x); }
__device__ inline bool last_of_block() { return threadIdx.x == blockDim.x - 1; }

/// The sum of what the blocks of an earlier kernel left, in the last thread of a single block.
template <int Which>
__device__ double sum_of_parts(int parts, const double* part) {
    double mine = 0;
    for (int i = first_of_thread(); i < parts; i += threads()) {
        mine += part[i];
    }
    return block_sum<Which>(mine);
}

/// x = 0, and the preconditioned residual is the first direction. Parts of r*z, then of r*r.
extern "C" __global__ void start(int n, const double* inverse_diagonal, const double* r, double* z, double* p, double* x,
                                 double* part) {
    double rz = 0, rr = 0;
    for (long long i = first_of_thread(); i < n; i += threads()) {
        x[i] = 0;
        p[i] = z[i] = inverse_diagonal[i] * r[i];
        rz += r[i] * z[i];
        rr += r[i] * r[i];
    }
    rz = block_sum<0>(rz);
    rr = block_sum<1>(rr);
    if (last_of_block()) {
        part[blockIdx.x] = rz;
        part[gridDim.x + blockIdx.x] = rr;
    }
}

extern "C" __global__ void begin(int parts, const double* part, double tolerance, cg_state* state, double* history,
                                 cudaGraphConditionalHandle go_on) {
    const double rz = sum_of_parts<0>(parts, part);
    const double rr = sum_of_parts<1>(parts, part + parts);
    if (last_of_block()) {
        *state = {rz, 0, 0, tolerance * tolerance * rr, 0, 0};
        history[0] = sqrt(rr);
        cudaGraphSetConditional(go_on, rr > 0 ? 1 : 0);
    }
}

/// q = A p, a row a thread. Parts of p*q.
extern "C" __global__ void multiply(int n, const int* row_begin, const int* column, const double* value, const double* p,
                                    double* q, double* part) {
    double pq = 0;
    for (long long i = first_of_thread(); i < n; i += threads()) {
        double sum = 0;
        for (int k = row_begin[i]; k < row_begin[i + 1]; ++k) {
            sum += value[k] * p[column[k]];
        }
        q[i] = sum;
        pq += p[i] * sum;
    }
    pq = block_sum(pq);
    if (last_of_block()) {
        part[blockIdx.x] = pq;
    }
}

extern "C" __global__ void choose_step(int parts, const double* part, cg_state* state) {
    const double pq = sum_of_parts<0>(parts, part);
    if (last_of_block()) {
        state->broken = pq > 0 ? 0 : 1;
        state->alpha = pq > 0 ? state->rz / pq : 0;
    }
}

/// One step along p. Parts of r*z, then of r*r.
extern "C" __global__ void step(int n, const cg_state* state, const double* p, const double* q, const double* inverse_diagonal,
                                double* x, double* r, double* z, double* part) {
    const double alpha = state->alpha;
    double rz = 0, rr = 0;
    for (long long i = first_of_thread(); i < n; i += threads()) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        z[i] = inverse_diagonal[i] * r[i];
        rz += r[i] * z[i];
        rr += r[i] * r[i];
    }
    rz = block_sum<0>(rz);
    rr = block_sum<1>(rr);
    if (last_of_block()) {
        part[blockIdx.x] = rz;
        part[gridDim.x + blockIdx.x] = rr;
    }
}

/// Writes the residual down, and says whether the loop goes on.
extern "C" __global__ void judge(int parts, const double* part, int most_iterations, cg_state* state, double* history,
                                 cudaGraphConditionalHandle go_on) {
    const double rz = sum_of_parts<0>(parts, part);
    const double rr = sum_of_parts<1>(parts, part + parts);
    if (last_of_block()) {
        state->beta = rz / state->rz;
        state->rz = rz;
        history[++state->iterations] = sqrt(rr);
        cudaGraphSetConditional(go_on, rr > state->limit && state->iterations < most_iterations && !state->broken ? 1 : 0);
    }
}

/// p = z + beta p
extern "C" __global__ void turn(int n, const cg_state* state, const double* z, double* p) {
    for (long long i = first_of_thread(); i < n; i += threads()) {
        p[i] = z[i] + state->beta * p[i];
    }
}
