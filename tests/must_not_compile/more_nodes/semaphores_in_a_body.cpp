// rule: C8
// expect: because_the_body_of_a_conditional_holds_kernels_memsets_memcpys_children_and_conditionals_alone
#include <allograph/allograph.hpp>

namespace ag = allograph;

using body = ag::basic_graph<ag::graph_kind::conditional_body>;
#ifdef MISTAKE
void wait(body& g, std::span<const CUexternalSemaphore> semaphores, std::span<const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> each) {
#else
void wait(ag::graph& g, std::span<const CUexternalSemaphore> semaphores,
          std::span<const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> each) {
#endif
    g.add_semaphore_wait({}, semaphores, each);
}
