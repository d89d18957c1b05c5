// rule: G6
// expect: because_nothing_of_an_allocation_or_its_free_can_be_changed
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void change(ag::graph_exec<ag::graph_kind::memory, ag::checking::on>& exec, ag::free_node n) {
#else
void change(ag::graph_exec<ag::graph_kind::memory, ag::checking::on>& exec, ag::kernel_node n) {
#endif
    exec.set_enabled(n, false);
}
