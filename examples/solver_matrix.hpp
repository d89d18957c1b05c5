#pragma once

// Sparse matrices on the host.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support.hpp"

namespace example {

/// Compressed rows.
struct sparse_matrix {
    int n = 0;
    std::vector<int> row_begin;
    std::vector<int> column;
    std::vector<double> value;

    [[nodiscard]] std::vector<double> operator*(const std::vector<double>& x) const {
        std::vector<double> product(x.size(), 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (auto k = static_cast<std::size_t>(row_begin[i]); k < static_cast<std::size_t>(row_begin[i + 1]); ++k) {
                product[i] += value[k] * x[static_cast<std::size_t>(column[k])];
            }
        }
        return product;
    }
    [[nodiscard]] double at(int row, int wanted) const {
        const auto begin = column.begin() + row_begin[static_cast<std::size_t>(row)];
        const auto end = column.begin() + row_begin[static_cast<std::size_t>(row) + 1];
        const auto found = std::lower_bound(begin, end, wanted);
        return found != end && *found == wanted ? value[static_cast<std::size_t>(found - column.begin())] : 0.0;
    }
};

struct matrix_entry {
    int row;
    int column;
    double value;
};

/// Of entries in any order; those of one place are added up.
inline sparse_matrix matrix_of(int n, std::vector<matrix_entry>& entries) {
    std::stable_sort(entries.begin(), entries.end(), [](const matrix_entry& a, const matrix_entry& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    sparse_matrix made{n, std::vector<int>(static_cast<std::size_t>(n) + 1, 0), {}, {}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const matrix_entry& e = entries[i];
        if (i > 0 && entries[i - 1].row == e.row && entries[i - 1].column == e.column) {
            made.value.back() += e.value;
            continue;
        }
        made.column.push_back(e.column);
        made.value.push_back(e.value);
        made.row_begin[static_cast<std::size_t>(e.row) + 1] = static_cast<int>(made.column.size());
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {  // rows without entries
        made.row_begin[i + 1] = std::max(made.row_begin[i], made.row_begin[i + 1]);
    }
    return made;
}

/// Of the entries on and below the diagonal.
inline sparse_matrix symmetric_matrix_of(int n, std::vector<matrix_entry> lower) {
    for (std::size_t i = 0, given = lower.size(); i < given; ++i) {
        if (lower[i].row != lower[i].column) {
            lower.push_back({lower[i].column, lower[i].row, lower[i].value});
        }
    }
    return matrix_of(n, lower);
}

/// The five-point Laplacian on a grid: its entries on and below the diagonal.
inline std::vector<matrix_entry> poisson(int width, int height) {
    std::vector<matrix_entry> lower;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const int at = y * width + x;
            if (y > 0) {
                lower.push_back({at, at - width, -1.0});
            }
            if (x > 0) {
                lower.push_back({at, at - 1, -1.0});
            }
            lower.push_back({at, at, 4.0});
        }
    }
    return lower;
}

/// @throws bad_input where conjugate gradients with the diagonal as preconditioner cannot work
inline void require_symmetric_with_positive_diagonal(const sparse_matrix& a) {
    for (int i = 0; i < a.n; ++i) {
        if (!(a.at(i, i) > 0)) {
            throw bad_input("row " + std::to_string(i + 1) +
                            " has no positive entry on the diagonal: the matrix is not positive definite");
        }
        for (auto k = static_cast<std::size_t>(a.row_begin[static_cast<std::size_t>(i)]);
             k < static_cast<std::size_t>(a.row_begin[static_cast<std::size_t>(i) + 1]); ++k) {
            const int j = a.column[k];
            if (std::abs(a.value[k] - a.at(j, i)) > 1e-12 * std::abs(a.value[k])) {
                throw bad_input("the entries of row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
                                " and across the diagonal differ: conjugate gradients need a symmetric matrix");
            }
        }
    }
}

}  // namespace example
