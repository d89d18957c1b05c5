// rule: G9
// expect: because_an_executable_with_memory_nodes_takes_no_other_graph_over
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void change(ag::graph_exec<ag::graph_kind::memory, ag::checking::on>& exec, const ag::memory_graph& other) {
#else
void change(ag::graph_exec<ag::graph_kind::plain, ag::checking::on>& exec, const ag::graph& other) {
#endif
    exec.update(other);
}
