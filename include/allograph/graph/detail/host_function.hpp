#pragma once

#include <allograph/driver/graph_calls.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// A callable on its way into a host node: a user object owns it and dies with the last of graph and executables.
/// Until `keep` is called the graph gives it back, so that a failed add leaves nothing.
template <class F>
class host_function {
public:
    template <class G>
    host_function(CUgraph graph, G&& function, source_line where) : graph_(graph), function_(new F(static_cast<G&&>(function))) {
        CUuserObject object = nullptr;
        const CUresult made = cuUserObjectCreate(&object, function_, &destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
        if (made != CUDA_SUCCESS) {
            delete function_;
            driver::fail(made, "cuUserObjectCreate", {}, where);
        }
        const CUresult retained = cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
        if (retained != CUDA_SUCCESS) {
            cuUserObjectRelease(object, 1);
            driver::fail(retained, "cuGraphRetainUserObject", {{"graph", graph}}, where);
        }
        object_ = object;
    }
    host_function(const host_function&) = delete;
    host_function& operator=(const host_function&) = delete;
    ~host_function() {
        if (object_ != nullptr) {
            cuGraphReleaseUserObject(graph_, object_, 1);
        }
    }

    [[nodiscard]] CUDA_HOST_NODE_PARAMS parameters() const noexcept {
        CUDA_HOST_NODE_PARAMS p{};
        p.fn = &call;
        p.userData = function_;
        return p;
    }
    void keep() noexcept { object_ = nullptr; }

private:
    static void CUDA_CB call(void* data) { (*static_cast<F*>(data))(); }
    static void CUDA_CB destroy(void* data) { delete static_cast<F*>(data); }

    CUgraph graph_;
    F* function_;
    CUuserObject object_ = nullptr;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
