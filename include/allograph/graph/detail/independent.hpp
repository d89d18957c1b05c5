#pragma once

#include <cuda.h>

#include <vector>

#include <allograph/graph/detail/ledger.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// What an executable of a plain graph keeps of its graph, which may be gone.
struct independent {
    allocation_cell only;  ///< live while the executable is, where there may be one (rule C18)
    CUcontext context = nullptr;
    std::uint32_t graph_id = 0;
    std::vector<borrowed> borrows;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
