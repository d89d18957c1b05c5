// cuGraphDebugDotPrint: the same facts as the real driver prints, in a simpler dress.
#include <cstdio>
#include <memory>

#include "driver.hpp"

using namespace allograph_reference;

namespace {

const char* type_name(CUgraphNodeType type) {
    switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return "KERNEL";
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return "MEMCPY";
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return "MEMSET";
    case CU_GRAPH_NODE_TYPE_HOST:
        return "HOST";
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return "GRAPH";
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return "EMPTY";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return "EVENT_WAIT";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return "EVENT_RECORD";
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        return "EXT_SEMAS_SIGNAL";
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return "EXT_SEMAS_WAIT";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return "MEM_ALLOC";
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return "MEM_FREE";
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return "BATCH_MEM_OP";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return "CONDITIONAL";
    default:
        return "UNKNOWN";
    }
}

void print(std::FILE* to, const graph& which, unsigned flags, int depth) {
    const auto id = static_cast<unsigned long long>(which.id);
    std::fprintf(to, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n", id, id);
    std::unordered_map<const node*, std::size_t> places;
    for (std::size_t index = 0; index < which.nodes.size(); ++index)
        places.emplace(which.nodes[index].get(), index);
    for (std::size_t index = 0; index < which.nodes.size(); ++index) {
        const node& each = *which.nodes[index];
        std::fprintf(to, "\"graph_%llu_node_%zu\"[style=\"solid\" shape=\"record\" label=\"{\n%s\n", id, index,
                     type_name(type_of(each.data)));
        if (const auto* kernel = std::get_if<kernel_data>(&each.data))
            std::fprintf(to, "| {%s}\n", kernel->code->code->name.c_str());
        if (const auto* allocates = std::get_if<alloc_data>(&each.data))
            std::fprintf(to, "| {{bytesize | dptr} | {%llu | 0x%016llX}}\n",
                         static_cast<unsigned long long>(allocates->memory->bytes),
                         static_cast<unsigned long long>(allocates->memory->address));
        if (const auto* frees = std::get_if<free_data>(&each.data))
            std::fprintf(to, "| {{dptr} | {0x%016llX}}\n", static_cast<unsigned long long>(frees->address));
        if ((flags & (CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)) != 0)
            std::fprintf(to, "| {node handle| 0x%016llX}\n",
                         static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(&each)));
        const auto* conditional = std::get_if<conditional_data>(&each.data);
        if (conditional != nullptr &&
            (flags & (CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)) != 0)
            for (std::size_t body = 0; body < conditional->bodies.size(); ++body)
                std::fprintf(to, "| {%zu|graph_%llu}\n", body, static_cast<unsigned long long>(conditional->bodies[body]->id));
        std::fprintf(to, "}\"];\n");
    }
    for (std::size_t index = 0; index < which.nodes.size(); ++index)
        for (const dependency& edge : which.nodes[index]->dependencies)
            std::fprintf(to, "\"graph_%llu_node_%zu\" -> \"graph_%llu_node_%zu\";\n", id, places.at(edge.from), id, index);
    std::fprintf(to, "}\n");
    if (depth == 0)
        return;
    for (const auto& each : which.nodes) {
        if (const auto* child = std::get_if<child_data>(&each->data))
            print(to, *child->child, flags, depth - 1);
        if (const auto* conditional = std::get_if<conditional_data>(&each->data))
            for (const auto& body : conditional->bodies)
                print(to, *body, flags, depth - 1);
    }
}

}  // namespace

extern "C" CUresult cuGraphDebugDotPrint(CUgraph handle, const char* path, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphDebugDotPrint, initialised);
    const graph* which = find_graph(handle);
    if (which == nullptr || path == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    const auto close = [](std::FILE* file) { std::fclose(file); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path, "w"), close);
    if (file == nullptr)
        return CUDA_ERROR_OPERATING_SYSTEM;
    std::fprintf(file.get(), "digraph dot {\n");
    print(file.get(), *which, flags, 16);
    std::fprintf(file.get(), "}\n");
    return CUDA_SUCCESS;
}
