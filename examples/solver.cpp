// Solves A x = b by preconditioned conjugate gradients in one graph that owns its memory: the iteration is a WHILE node, whose
// body runs until a kernel finds the residual small enough. Checked against the same method on the host.
//
//     solver [FILE.mtx] [--tolerance 1e-10] [--iterations 10000] [--relaunch N]
//     solver --generate 100x100 FILE.mtx
//
// A is symmetric positive definite, from a Matrix Market file, or the Laplacian of a 64 x 64 grid; b is A times a known x.

#include "kernels.hpp"
#include "solver_host.hpp"
#include "solver_kernels.cu"
#include "solver_kernels.image.h"
#include "solver_matrix_market.hpp"
#include "support.hpp"

namespace ag = allograph;

namespace {

/// Builds the graph. Its outputs: x, the history of the residual, and the state at the end.
auto build_solver(const example::kernel_module& kernels, const example::problem& given, double tolerance, int most_iterations) {
    const auto n = static_cast<int>(given.b.size());
    const ag::launch_config over_n{.grid = {.x = std::min(ag::grid_for(given.b.size()).grid.x, 256u)}, .block = {.x = 256}};
    const ag::launch_config one_block{.block = {.x = 256}};
    const auto parts = static_cast<int>(over_n.grid.x);

    ag::memory_graph g{ag::device{0}};
    auto row_begin = g.add_alloc<int>(given.a.row_begin.size(), ag::named("row_begin"));
    auto column = g.add_alloc<int>(given.a.column.size(), ag::named("column"));
    auto value = g.add_alloc<double>(given.a.value.size(), ag::named("value"));
    auto inverse = g.add_alloc<double>(given.b.size(), ag::named("inverse diagonal"));
    auto x = g.add_alloc<double>(given.b.size(), ag::named("x"));
    auto r = g.add_alloc<double>(given.b.size(), ag::named("r"));
    auto z = g.add_alloc<double>(given.b.size(), ag::named("z"));
    auto p = g.add_alloc<double>(given.b.size(), ag::named("p"));
    auto q = g.add_alloc<double>(given.b.size(), ag::named("q"));
    auto part = g.add_alloc<double>(2 * over_n.grid.x, ag::named("parts of sums"));
    auto state = g.add_alloc<cg_state>(1, ag::named("state"));
    auto history = g.add_alloc<double>(static_cast<std::size_t>(most_iterations) + 1, ag::named("history"));

    auto in1 = g.add_memcpy(ag::after(row_begin), row_begin.span(), given.a.row_begin);
    auto in2 = g.add_memcpy(ag::after(column), column.span(), given.a.column);
    auto in3 = g.add_memcpy(ag::after(value), value.span(), given.a.value);
    auto in4 = g.add_memcpy(ag::after(inverse), inverse.span(), given.inverse_diagonal);
    auto in5 = g.add_memcpy(ag::after(r), r.span(), given.b);

    ag::condition go_on = g.make_condition();
    auto started = g.add_kernel(ag::after(in4, in5, x, z, p, part), kernels.get<start>("start"), over_n, n, inverse.data(),
                                r.data(), z.data(), p.data(), x.data(), part.data());
    auto begun = g.add_kernel(ag::after(started, state, history), kernels.get<begin>("begin"), one_block, parts, part.data(),
                              tolerance, state.data(), history.data(), go_on);
    auto [loop, body] = g.add_while(ag::after(begun, in1, in2, in3, q), go_on);
    auto multiplied = body.add_kernel(kernels.get<multiply>("multiply"), over_n, n, row_begin.data(), column.data(), value.data(),
                                      p.data(), q.data(), part.data());
    auto chosen = body.add_kernel(ag::after(multiplied), kernels.get<choose_step>("choose_step"), one_block, parts, part.data(),
                                  state.data());
    auto stepped = body.add_kernel(ag::after(chosen), kernels.get<step>("step"), over_n, n, state.data(), p.data(), q.data(),
                                   inverse.data(), x.data(), r.data(), z.data(), part.data());
    auto judged = body.add_kernel(ag::after(stepped), kernels.get<judge>("judge"), one_block, parts, part.data(), most_iterations,
                                  state.data(), history.data(), go_on);
    body.add_kernel(ag::after(judged), kernels.get<turn>("turn"), over_n, n, state.data(), z.data(), p.data());

    g.add_free(ag::after(loop), std::move(row_begin));
    g.add_free(ag::after(loop), std::move(column));
    g.add_free(ag::after(loop), std::move(value));
    g.add_free(ag::after(loop), std::move(inverse));
    g.add_free(ag::after(loop), std::move(r));
    g.add_free(ag::after(loop), std::move(z));
    g.add_free(ag::after(loop), std::move(p));
    g.add_free(ag::after(loop), std::move(q));
    g.add_free(ag::after(loop), std::move(part));
    return std::move(g).instantiate(ag::outputs(std::move(x), std::move(history), std::move(state)));
}

/// `--generate WIDTHxHEIGHT FILE`
int generate(const std::string& size, const std::vector<std::string>& rest) {
    const std::size_t cross = size.find('x');
    if (rest.size() != 1 || cross == std::string::npos) {
        throw example::bad_input("usage: solver --generate WIDTHxHEIGHT FILE");
    }
    const auto width = static_cast<int>(example::arguments::count_of(size.substr(0, cross), "the width", 20000));
    const auto height = static_cast<int>(example::arguments::count_of(size.substr(cross + 1), "the height", 20000));
    const auto lower = example::poisson(width, height);
    example::write_matrix_market(rest[0], width * height, lower);
    std::printf("wrote %s: %d rows, %zu entries on and below the diagonal\n", rest[0].c_str(), width * height, lower.size());
    return 0;
}

example::sparse_matrix matrix_from(const std::vector<std::string>& files) {
    if (files.size() > 1) {
        throw example::bad_input("one matrix at a time: '" + files[1] + "' is too much");
    }
    if (files.size() == 1) {
        return example::read_matrix_market(files[0]);
    }
    return example::symmetric_matrix_of(64 * 64, example::poisson(64, 64));
}

int solve(example::arguments& given) {
    if (const auto size = given.take("--generate")) {
        return generate(*size, given.rest());
    }
    const double tolerance = given.take_fraction("--tolerance", 1e-10);
    const auto most_iterations = static_cast<int>(given.take_count("--iterations", 10000, 1000000));
    const std::size_t launches = given.take_count("--relaunch", 1, 100000000);
    const example::problem problem = example::problem_of(matrix_from(given.rest()));
    std::printf("solver: %d rows, %zu entries, on %s\n", problem.a.n, problem.a.value.size(),
                allograph_reference_active() ? "the reference driver" : "a GPU");

    const ag::stream stream;
    const example::kernel_module kernels(solver_kernels);
    auto exec = build_solver(kernels, problem, tolerance, most_iterations);
    example::solution found{std::vector<double>(problem.b.size()),
                            std::vector<double>(static_cast<std::size_t>(most_iterations) + 1)};
    std::vector<cg_state> state(1);
    const bool flat = example::relaunch(launches, stream, [&] {
        const auto [x, history, last_state] = exec.launch(stream);
        x.copy_to(found.x);
        history.copy_to(found.history);
        last_state.copy_to(state);
        stream.synchronize();
    });
    found.history.resize(static_cast<std::size_t>(state[0].iterations) + 1);
    if (state[0].broken) {
        throw example::bad_input("the matrix is not positive definite: found in iteration " +
                                 std::to_string(state[0].iterations));
    }
    return example::check(problem, found, example::solve_on_host(problem, tolerance, most_iterations), tolerance) && flat ? 0 : 1;
}

}  // namespace

int main(int count, char** words) { return example::run("solver", count, words, solve); }
