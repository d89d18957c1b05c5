// rule: F4
// expect: because_the_free_spends_the_allocation_write_std_move
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void tell(ag::captured<>& captured, ag::alloc_node<float>& of_another_graph) {
#ifdef MISTAKE
    captured.freed(of_another_graph);
#else
    captured.freed(std::move(of_another_graph));
#endif
}
