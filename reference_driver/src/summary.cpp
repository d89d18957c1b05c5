#include "summary.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver.hpp"

namespace allograph_reference {
namespace {

void write_summary() {
    std::FILE* file = std::fopen(std::getenv("ALLOGRAPH_REFERENCE_SUMMARY"), "w");
    if (file == nullptr)
        return;
    const std::lock_guard<std::recursive_mutex> held(state().mutex);
    const driver_state& all = state();
    const auto line = [&](const char* what, const std::string& name, std::size_t count) {
        std::fprintf(file, "%s %s %zu\n", what, name.c_str(), count);
    };
    std::size_t memory = all.live.size();
    std::size_t contexts = 0;
    for (const auto& device : all.devices) {
        memory += device->heap.blocks().size();
        contexts += device->primary_references;
    }
    line("alive", "graphs", all.graphs.size());
    line("alive", "executables", all.executables.size());
    line("alive", "user_objects", all.user_objects.size());
    line("alive", "streams", all.streams.size());
    line("alive", "events", all.events.size());
    line("alive", "modules", all.modules.size());
    line("alive", "allocations", memory);
    line("alive", "host_allocations", all.host_blocks.size());
    line("alive", "context_references", contexts);
    std::vector<std::pair<std::string, std::size_t>> calls(all.calls.begin(), all.calls.end());
    std::sort(calls.begin(), calls.end());
    for (const auto& [function, count] : calls)
        line("calls", function, count);
    line("pending", "failures", all.failures.size());
    std::fclose(file);
}

}  // namespace

void summarise_at_exit() {
    if (std::getenv("ALLOGRAPH_REFERENCE_SUMMARY") != nullptr)
        std::atexit(write_summary);
}

}  // namespace allograph_reference
