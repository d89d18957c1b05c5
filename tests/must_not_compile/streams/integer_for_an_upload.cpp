// rule: X12
// expect: because_a_number_is_no_stream
#include <allograph/allograph.hpp>

namespace ag = allograph;

ag::upload_to option(CUstream s) {
#ifdef MISTAKE
    (void)s;
    return ag::upload_to{2};
#else
    return ag::upload_to{s};
#endif
}
