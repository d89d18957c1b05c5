// rule: G9
// expect: because_kernels_memsets_and_memcpys_alone_can_be_disabled
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void change(ag::graph_exec<ag::graph_kind::plain, ag::checking::on>& exec, ag::host_node n) {
#else
void change(ag::graph_exec<ag::graph_kind::plain, ag::checking::on>& exec, ag::memcpy_node n) {
#endif
    exec.set_enabled(n, false);
}
