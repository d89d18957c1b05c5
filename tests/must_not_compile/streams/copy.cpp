// rule: X10
// expect: because_a_stream_has_one_owner_write_std_move_or_stream_ref
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto keep(ag::stream& s) {
#ifdef MISTAKE
    ag::stream kept = s;
#else
    ag::stream kept = std::move(s);
#endif
    return kept;
}
