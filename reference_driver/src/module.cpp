// Modules, libraries and kernels. No image is read: a name registered through the C header is found in every module.
#include <algorithm>

#include "driver.hpp"

using namespace allograph_reference;

namespace {

module_image* find_module(const void* handle, bool library) {
    auto* key = static_cast<module_image*>(const_cast<void*>(handle));
    const auto found = state().modules.find(key);
    return found != state().modules.end() && found->second->library == library ? key : nullptr;
}

module_image* make_module(bool library) {
    auto made = std::make_unique<module_image>();
    made->library = library;
    module_image* key = made.get();
    state().modules.emplace(key, std::move(made));
    return key;
}

CUresult unload(module_image* which) {
    if (which == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    for (const auto& [name, each] : which->functions)
        state().functions.erase(each.get());
    state().modules.erase(which);
    return CUDA_SUCCESS;
}

function* find_in(module_image& where, const char* name) {
    std::unique_ptr<function>& slot = where.functions[name];
    if (slot == nullptr) {
        const auto code = state().kernels.find(std::string_view(name));
        if (code == state().kernels.end()) {
            where.functions.erase(name);
            return nullptr;
        }
        slot = std::make_unique<function>();
        slot->code = code->second;
        slot->home = &where;
        state().functions.insert(slot.get());
    }
    return slot.get();
}

CUresult parameter(const function* code, std::size_t index, std::size_t* offset, std::size_t* size) {
    if (code == nullptr || offset == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (index >= code->code->sizes.size())
        return CUDA_ERROR_INVALID_VALUE;
    *offset = code->code->offsets[index];
    if (size != nullptr)
        *size = code->code->sizes[index];
    return CUDA_SUCCESS;
}

CUresult attribute(int* value, CUfunction_attribute which, const function* code) {
    if (value == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (code == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (const auto set = code->attributes.find(which); set != code->attributes.end())
        *value = set->second;
    else if (which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        *value = 1024;
    else if (which == CU_FUNC_ATTRIBUTE_BINARY_VERSION || which == CU_FUNC_ATTRIBUTE_PTX_VERSION)
        *value = 90;
    else
        *value = 0;
    return CUDA_SUCCESS;
}

function* of_kernel(CUkernel handle) { return find_function(reinterpret_cast<CUfunction>(handle)); }

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* handle, const void* image) {
    ALLOGRAPH_REFERENCE_ENTER(cuModuleLoadData, context);
    if (handle == nullptr || image == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = handle_of<CUmodule>(make_module(false));
    return CUDA_SUCCESS;
}
CUresult cuModuleLoadDataEx(CUmodule* handle, const void* image, unsigned, CUjit_option*, void**) {
    return cuModuleLoadData(handle, image);
}
CUresult cuModuleLoadFatBinary(CUmodule* handle, const void* image) { return cuModuleLoadData(handle, image); }

CUresult cuModuleUnload(CUmodule handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuModuleUnload, context);
    return unload(find_module(handle, false));
}

CUresult cuModuleGetFunction(CUfunction* handle, CUmodule from, const char* name) {
    ALLOGRAPH_REFERENCE_ENTER(cuModuleGetFunction, context);
    module_image* where = find_module(from, false);
    if (handle == nullptr || name == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (where == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    function* found = find_in(*where, name);
    if (found == nullptr)
        return CUDA_ERROR_NOT_FOUND;
    *handle = handle_of<CUfunction>(found);
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary* handle, const void* code, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
                           unsigned) {
    ALLOGRAPH_REFERENCE_ENTER(cuLibraryLoadData, initialised);
    if (handle == nullptr || code == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = handle_of<CUlibrary>(make_module(true));
    return CUDA_SUCCESS;
}

CUresult cuLibraryUnload(CUlibrary handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuLibraryUnload, initialised);
    return unload(find_module(handle, true));
}

CUresult cuLibraryGetKernel(CUkernel* handle, CUlibrary from, const char* name) {
    ALLOGRAPH_REFERENCE_ENTER(cuLibraryGetKernel, initialised);
    module_image* where = find_module(from, true);
    if (handle == nullptr || name == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (where == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    function* found = find_in(*where, name);
    if (found == nullptr)
        return CUDA_ERROR_NOT_FOUND;
    *handle = handle_of<CUkernel>(found);
    return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction* handle, CUkernel kernel) {
    ALLOGRAPH_REFERENCE_ENTER(cuKernelGetFunction, context);
    if (handle == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (of_kernel(kernel) == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    *handle = handle_of<CUfunction>(of_kernel(kernel));
    return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
    ALLOGRAPH_REFERENCE_ENTER(cuKernelGetName, initialised);
    const function* found = of_kernel(kernel);
    if (name == nullptr || found == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *name = found->code->name.c_str();
    return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
    ALLOGRAPH_REFERENCE_ENTER(cuKernelGetLibrary, initialised);
    const function* found = of_kernel(kernel);
    if (library == nullptr || found == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *library = handle_of<CUlibrary>(found->home);
    return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset, std::size_t* size) {
    ALLOGRAPH_REFERENCE_ENTER(cuKernelGetParamInfo, initialised);
    return parameter(of_kernel(kernel), index, offset, size);
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute which, CUkernel kernel, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuKernelGetAttribute, initialised);
    return find_device(device) == nullptr ? CUDA_ERROR_INVALID_DEVICE : attribute(value, which, of_kernel(kernel));
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel kernel, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuKernelSetAttribute, initialised);
    function* found = of_kernel(kernel);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (find_device(device) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    found->attributes[which] = value;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction code, std::size_t index, std::size_t* offset, std::size_t* size) {
    ALLOGRAPH_REFERENCE_ENTER(cuFuncGetParamInfo, initialised);
    return parameter(find_function(code), index, offset, size);
}

CUresult cuFuncGetName(const char** name, CUfunction code) {
    ALLOGRAPH_REFERENCE_ENTER(cuFuncGetName, initialised);
    const function* found = find_function(code);
    if (name == nullptr || found == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *name = found->code->name.c_str();
    return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction code) {
    ALLOGRAPH_REFERENCE_ENTER(cuFuncGetModule, initialised);
    const function* found = find_function(code);
    if (module == nullptr || found == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *module = handle_of<CUmodule>(found->home);
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction code) {
    ALLOGRAPH_REFERENCE_ENTER(cuFuncGetAttribute, context);
    return attribute(value, which, find_function(code));
}

CUresult cuFuncSetAttribute(CUfunction code, CUfunction_attribute which, int value) {
    ALLOGRAPH_REFERENCE_ENTER(cuFuncSetAttribute, context);
    function* found = find_function(code);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    found->attributes[which] = value;
    return CUDA_SUCCESS;
}

}  // extern "C"
