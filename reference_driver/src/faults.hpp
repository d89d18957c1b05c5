// Failures on demand, counted calls, and pages that a node touches though nobody owns them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "driver.hpp"

namespace allograph_reference {

/// Counts a call and answers what it was told to fail with, CUDA_SUCCESS if nothing.
CUresult count_call(std::string_view function);

/// Runs the work of one node. Where it touches device memory that is not allocated at that moment but still mapped, a GPU would
/// read and write it in silence: so does this, and strict mode says so. Where nothing is mapped the work ends and the answer is
/// false.
bool run_guarded(const std::string& what, const std::function<void()>& work);

/// The result whose name is `name`, CUDA_ERROR_UNKNOWN if there is none.
CUresult result_named(std::string_view name);

}  // namespace allograph_reference
