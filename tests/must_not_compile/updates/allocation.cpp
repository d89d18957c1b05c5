// rule: G6
// expect: because_nothing_of_an_allocation_or_its_free_can_be_changed
#include <allograph/allograph.hpp>

namespace ag = allograph;

template <class Exec>
void change(Exec& exec, ag::alloc_node<float>& x, ag::memset_node set) {
#ifdef MISTAKE
    exec.update_memset(x, x.span(), 1.0f);
#else
    exec.update_memset(set, x.span(), 1.0f);
#endif
}
void use(ag::graph_exec<ag::graph_kind::memory, ag::checking::on>& exec, ag::alloc_node<float>& x, ag::memset_node set) {
    change(exec, x, set);
}
