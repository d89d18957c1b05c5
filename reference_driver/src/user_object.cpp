// User objects: counted by the program, by graphs, their copies and their executables. The last one to go calls the destructor.
#include <climits>

#include "graph.hpp"

namespace allograph_reference {

void retain_user_object(user_object& which, unsigned count) { which.count += count; }

void release_user_object(user_object& which, unsigned count) {
    which.count -= count < which.count ? count : which.count;
    if (which.count != 0)
        return;
    const user_object last = which;
    state().user_objects.erase(&which);
    const callback_scope inside;
    last.destroy(last.pointer);
}

}  // namespace allograph_reference

using namespace allograph_reference;

namespace {

user_object* find(CUuserObject handle) {
    auto* key = reinterpret_cast<user_object*>(handle);
    return state().user_objects.contains(key) ? key : nullptr;
}

bool countable(unsigned count) { return count != 0 && count <= INT_MAX; }

}  // namespace

extern "C" {

CUresult cuUserObjectCreate(CUuserObject* handle, void* pointer, CUhostFn destroy, unsigned count, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuUserObjectCreate, initialised);
    if (handle == nullptr || destroy == nullptr || !countable(count) || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<user_object>(user_object{pointer, destroy, count});
    user_object* key = made.get();
    state().user_objects.emplace(key, std::move(made));
    *handle = handle_of<CUuserObject>(key);
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject handle, unsigned count) {
    ALLOGRAPH_REFERENCE_ENTER(cuUserObjectRetain, initialised);
    user_object* found = find(handle);
    if (found == nullptr || !countable(count))
        return CUDA_ERROR_INVALID_VALUE;
    retain_user_object(*found, count);
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject handle, unsigned count) {
    ALLOGRAPH_REFERENCE_ENTER(cuUserObjectRelease, initialised);
    user_object* found = find(handle);
    if (found == nullptr || !countable(count))
        return CUDA_ERROR_INVALID_VALUE;
    release_user_object(*found, count);
    return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph target, CUuserObject handle, unsigned count, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphRetainUserObject, initialised);
    graph* where = find_graph(target);
    user_object* found = find(handle);
    if (where == nullptr || found == nullptr || !countable(count) || (flags & ~unsigned{CU_GRAPH_USER_OBJECT_MOVE}) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags == 0)
        retain_user_object(*found, count);  // moved references only change hands
    where->user_objects[found] += count;
    return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph target, CUuserObject handle, unsigned count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphReleaseUserObject, initialised);
    graph* where = find_graph(target);
    user_object* found = find(handle);
    if (where == nullptr || found == nullptr || !countable(count))
        return CUDA_ERROR_INVALID_VALUE;
    const auto held = where->user_objects.find(found);
    if (held == where->user_objects.end() || held->second < count)
        return CUDA_ERROR_INVALID_VALUE;
    held->second -= count;
    if (held->second == 0)
        where->user_objects.erase(held);
    release_user_object(*found, count);
    return CUDA_SUCCESS;
}

}  // extern "C"
