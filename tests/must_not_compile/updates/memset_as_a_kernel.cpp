// rule: G9
// expect: because_a_node_is_updated_as_what_it_is
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void change(ag::graph_exec<ag::graph_kind::plain, ag::checking::on>& exec, ag::memset_node n, ag::kernel<void(int)> k) {
#else
void change(ag::graph_exec<ag::graph_kind::plain, ag::checking::on>& exec, ag::kernel_node n, ag::kernel<void(int)> k) {
#endif
    exec.update_kernel(n, k, ag::grid_for(1), 1);
}
