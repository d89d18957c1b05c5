// rule: G9
// expect: because_the_arguments_do_not_match_the_kernel_signature_in_count_or_type
#include <allograph/allograph.hpp>

namespace ag = allograph;

void change(ag::graph_exec<ag::graph_kind::plain, ag::checking::on>& exec, ag::kernel_node n, ag::kernel<void(int)> k) {
#ifdef MISTAKE
    exec.update_kernel(n, k, ag::grid_for(1), 1, 2);
#else
    exec.update_kernel(n, k, ag::grid_for(1), 1);
#endif
}
