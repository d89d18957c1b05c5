#pragma once

// What the solver solves, the same method on the host, and the comparison.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "solver_matrix.hpp"

namespace example {

struct problem {
    sparse_matrix a;
    std::vector<double> inverse_diagonal;
    std::vector<double> b;
};

struct solution {
    std::vector<double> x;
    std::vector<double> history;  // the norm of the residual, at the start and after each iteration
    bool broken = false;
};

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// The same method, on the host.
inline solution solve_on_host(const problem& given, double tolerance, int most_iterations) {
    const std::size_t n = given.b.size();
    std::vector<double> x(n, 0.0), r = given.b, z(n), p(n, 0.0);
    double rz = 1, beta = 0;
    solution found{{}, {std::sqrt(dot(r, r))}, false};
    while (found.history.back() > tolerance * found.history.front() &&
           found.history.size() <= static_cast<std::size_t>(most_iterations)) {
        for (std::size_t i = 0; i < n; ++i) {
            z[i] = given.inverse_diagonal[i] * r[i];
        }
        const double last = rz;
        rz = dot(r, z);
        beta = found.history.size() == 1 ? 0 : rz / last;
        for (std::size_t i = 0; i < n; ++i) {
            p[i] = z[i] + beta * p[i];
        }
        const std::vector<double> q = given.a * p;
        const double pq = dot(p, q);
        if (!(pq > 0)) {
            found.broken = true;
            break;
        }
        for (std::size_t i = 0; i < n; ++i) {
            x[i] += rz / pq * p[i];
            r[i] -= rz / pq * q[i];
        }
        found.history.push_back(std::sqrt(dot(r, r)));
    }
    found.x = std::move(x);
    return found;
}

inline problem problem_of(sparse_matrix&& a) {
    require_symmetric_with_positive_diagonal(a);
    problem made{std::move(a), {}, {}};
    std::vector<double> known(static_cast<std::size_t>(made.a.n));
    for (std::size_t i = 0; i < known.size(); ++i) {
        known[i] = 1.0 + 0.5 * std::sin(static_cast<double>(i));
        made.inverse_diagonal.push_back(1.0 / made.a.at(static_cast<int>(i), static_cast<int>(i)));
    }
    made.b = made.a * known;
    return made;
}

/// Prints the history, and says whether device and host agree.
inline bool check(const problem& given, const solution& found, const solution& host, double tolerance) {
    const std::size_t iterations = found.history.size() - 1;
    for (std::size_t i = 0; i <= iterations; i += std::max<std::size_t>(1, iterations / 10)) {
        std::printf("  iteration %6zu   residual %.3e of the first\n", i, found.history[i] / found.history[0]);
    }
    bool good = true;
    const auto demand = [&good](bool holds, const char* what, double value) {
        std::printf("%s: %s %.3e\n", holds ? "  good" : "FAILED", what, value);
        good = good && holds;
    };
    std::vector<double> rest = given.a * found.x;
    double apart = 0, largest = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        rest[i] = given.b[i] - rest[i];
        apart = std::max(apart, std::abs(found.x[i] - host.x[i]));
        largest = std::max(largest, std::abs(host.x[i]));
    }
    double early = 0;  // later, rounding leads the two apart where the matrix is badly conditioned
    for (std::size_t i = 0; i < std::min({found.history.size(), host.history.size(), std::size_t{10}}); ++i) {
        early = std::max(early, std::abs(found.history[i] - host.history[i]) / host.history[0]);
    }
    const double residual = std::sqrt(dot(rest, rest) / dot(given.b, given.b));
    demand(residual <= 10 * tolerance, "|b - A x| / |b|, computed on the host:", residual);
    demand(early <= 1e-9, "first residuals, against the host's:", early);
    std::printf("        x against the host's, the largest difference over the largest value: %.3e\n", apart / largest);
    std::printf("        iterations: %zu, on the host %zu\n", iterations, host.history.size() - 1);
    return good;
}

}  // namespace example
