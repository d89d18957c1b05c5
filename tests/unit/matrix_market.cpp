// The reader of Matrix Market files of the examples: every form that it takes, and each bad input as one clear line.

#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "../../examples/solver_matrix_market.hpp"

namespace {

example::sparse_matrix read(const std::string& text) {
    std::istringstream file(text);
    return example::matrix_market_reader(file, "m.mtx").read();
}

/// Row by row, with the zeros.
std::vector<double> all_of(const example::sparse_matrix& a) {
    std::vector<double> all;
    for (int i = 0; i < a.n; ++i) {
        for (int j = 0; j < a.n; ++j) {
            all.push_back(a.at(i, j));
        }
    }
    return all;
}

struct bad {
    const char* text;
    const char* message;
};

}  // namespace

TEST_CASE("Matrix Market files are read in every form that a solver can use") {
    const std::string real = "%%MatrixMarket matrix coordinate real ";
    CHECK(all_of(read(real + "general\n2 2 4\n1 1 4\n1 2 -1\n2 1 -1.5e0\n2 2 +3\n")) == std::vector<double>{4, -1, -1.5, 3});
    CHECK(all_of(read(real + "symmetric\n2 2 3\n2 2 3\n2 1 -1\n1 1 4\n")) == std::vector<double>{4, -1, -1, 3});
    CHECK(all_of(read("%%MatrixMarket MATRIX Coordinate Integer General\n2 2 2\n1 1 7\n2 2 -8\n")) ==
          std::vector<double>{7, 0, 0, -8});
    CHECK(all_of(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n")) ==
          std::vector<double>{1, 1, 1, 0});
    SECTION("with comments, blank lines, other blanks, other line ends, and no line end at last") {
        CHECK(all_of(read(real + "general\r\n% text\r\n\r\n  2\t2  2\r\n%\n 1   1\t4 \r\n\n2 2 5")) ==
              std::vector<double>{4, 0, 0, 5});
    }
    SECTION("entries of one place are added up") {
        CHECK(all_of(read(real + "general\n2 2 4\n2 2 1\n1 1 4\n2 2 2\n2 2 4\n")) == std::vector<double>{4, 0, 0, 7});
    }
}

TEST_CASE("what is written is read again") {
    const std::vector<example::matrix_entry> lower = example::poisson(2, 2);
    const std::string path = std::to_string(reinterpret_cast<std::uintptr_t>(&lower)) + ".mtx";
    example::write_matrix_market(path, 4, lower);
    const std::vector<double> read_back = all_of(example::read_matrix_market(path));
    std::remove(path.c_str());
    CHECK(read_back == std::vector<double>{4, -1, -1, 0, -1, 4, 0, -1, -1, 0, 4, -1, 0, -1, -1, 4});
}

TEST_CASE("a malformed Matrix Market file is one line with its place and the reason") {
    const bad each = GENERATE(
        bad{"", "m.mtx:1: an empty file"},
        bad{"%MatrixMarket matrix\n", "m.mtx:1: a Matrix Market file begins with %%MatrixMarket matrix"},
        bad{"%%MatrixMarket matrix array real general\n2 2\n", "m.mtx:1: the format is 'array', and has to be coordinate"},
        bad{"%%MatrixMarket matrix coordinate complex general\n",
            "m.mtx:1: the field is 'complex', and has to be real, integer or pattern"},
        bad{"%%MatrixMarket matrix coordinate real skew-symmetric\n",
            "m.mtx:1: the symmetry is 'skew-symmetric', and has to be general or symmetric"},
        bad{"%%MatrixMarket matrix coordinate real general\n% only this\n", "m.mtx:2: the file ends before the line of sizes"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2\n", "m.mtx:2: the number of entries is missing"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 3 6\n",
            "m.mtx:2: the matrix has 2 rows and 3 columns: a solver needs as many"},
        bad{"%%MatrixMarket matrix coordinate real general\n0 0 0\n",
            "m.mtx:2: the number of rows is 0, outside of 1 to 2147483646"},
        bad{"%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 1\n1 1 1\n",
            "m.mtx:2: fewer entries than rows: some row has none, so the matrix has no inverse"},
        bad{"%%MatrixMarket matrix coordinate real general\n99999999999999999999 2 1\n",
            "m.mtx:2: the number of rows is '99999999999999999999', not a number that fits"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "m.mtx:3: the file ends after 1 of 2 entries"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n1 2 1\n",
            "m.mtx:5: more than the 2 entries that the sizes name"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 3 1\n", "m.mtx:3: a column is 3, outside of 1 to 2"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2 2\n\n% text\n0 1 1\n", "m.mtx:5: a row is 0, outside of 1 to 2"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1\n", "m.mtx:3: a value is missing"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1,5\n",
            "m.mtx:3: a value is '1,5', not a number that fits"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n", "m.mtx:3: a value is not finite"},
        bad{"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1 1\n", "m.mtx:3: '1' is too much on this line"},
        bad{"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n",
            "m.mtx:3: an entry above the diagonal: a symmetric file holds those on and below it"});
    CAPTURE(each.text);
    std::string message = "nothing";
    try {
        (void)read(each.text);
    } catch (const example::bad_input& error) {
        message = error.what();
    }
    CHECK(message == each.message);
}

TEST_CASE("matrices that conjugate gradients cannot solve are refused") {
    const auto refusal = [](const std::string& entries) -> std::string {
        try {
            example::require_symmetric_with_positive_diagonal(
                read("%%MatrixMarket matrix coordinate real general\n2 2 " + entries));
        } catch (const example::bad_input& error) {
            return error.what();
        }
        return {};
    };
    CHECK(refusal("4\n1 1 2\n2 2 2\n1 2 1\n2 1 1\n").empty());
    CHECK(refusal("2\n1 1 2\n2 2 -2\n") == "row 2 has no positive entry on the diagonal: the matrix is not positive definite");
    CHECK(refusal("3\n1 1 2\n2 2 2\n1 2 1\n") ==
          "the entries of row 1, column 2 and across the diagonal differ: conjugate gradients need a symmetric matrix");
}
