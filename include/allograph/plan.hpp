#pragma once

/// The planner: `plan`, `footprint` and `build`, for programs that are written against any graph.
#include <allograph/graph/build.hpp>
#include <allograph/model/memory_plan_literals.hpp>
#include <allograph/model/program_plan.hpp>
#include <allograph/model/program_plan_footprint.hpp>
