// rule: A14
// expect: [A14] device memory holds trivially copyable values, no reference, not const, alignment at most 512
#include <allograph/allograph.hpp>

namespace ag = allograph;

struct node_of_a_list {
#ifdef MISTAKE
    ag::alloc_node<const float>* next;
#else
    ag::alloc_node<float>* next;
#endif
};
std::size_t size(const node_of_a_list& n) { return n.next->size(); }
