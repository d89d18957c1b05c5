#pragma once

/// Everything that builds, launches and owns. By name besides: <allograph/cudart.hpp>.
#include <allograph/graph/basic_graph.hpp>
#include <allograph/graph/graph_exec.hpp>
#include <allograph/graph/graph_memory.hpp>
#include <allograph/graph/memory_footprint.hpp>
#include <allograph/graph/orphan.hpp>
#include <allograph/graph/out_of_memory.hpp>
#include <allograph/graph/stream.hpp>
#include <allograph/graph/stream_buffer.hpp>
#include <allograph/version.hpp>
