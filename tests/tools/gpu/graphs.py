"""Graphs made by hand with cuda-bindings, for the programs of this folder. Kernels are PTX: no compiler is needed."""

import ctypes

from cuda.bindings import driver

HEADER = b"""
.version 8.0
.target sm_75
.address_size 64
"""
ENTRY = b"""
.visible .entry %s(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
    .reg .pred %%p;
    .reg .f32 %%f<5>;
    .reg .b32 %%r<6>;
    .reg .b64 %%rd<8>;
    ld.param.u32 %%r2, [n];
    ld.param.f32 %%f1, [a];
    ld.param.u64 %%rd1, [x];
    ld.param.u64 %%rd2, [y];
    mov.u32 %%r3, %%ctaid.x;
    mov.u32 %%r4, %%ntid.x;
    mov.u32 %%r5, %%tid.x;
    mad.lo.s32 %%r1, %%r3, %%r4, %%r5;
    setp.ge.s32 %%p, %%r1, %%r2;
    @%%p bra done;
    cvta.to.global.u64 %%rd3, %%rd2;
    cvta.to.global.u64 %%rd4, %%rd1;
    mul.wide.s32 %%rd5, %%r1, 4;
    add.s64 %%rd6, %%rd4, %%rd5;
    ld.global.f32 %%f2, [%%rd6];
    add.s64 %%rd7, %%rd3, %%rd5;
    ld.global.f32 %%f3, [%%rd7];
    fma.rn.f32 %%f4, %%f2, %%f1, %%f3;
    st.global.f32 [%%rd7], %%f4;
done:
    ret;
}
"""
COUNT = 1 << 16  # elements of every buffer
BYTES = 4 * COUNT
ONE = 0x3F800000  # the float 1.0


def ok(answer):
    if answer[0] != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(answer[0]))
    return answer[1] if len(answer) == 2 else answer[1:]


def stand_in_for_kernels(names):
    """On allograph's reference driver, which runs no PTX, a host function stands for the kernels."""
    try:
        entry = ctypes.CDLL("libcuda.so.1").allograph_reference_entry_points_v1
    except AttributeError:
        return
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))

    def scale_add(_, params):
        n = ctypes.c_int.from_address(params[0]).value
        a = ctypes.c_float.from_address(params[1]).value
        x = (ctypes.c_float * n).from_address(ctypes.c_uint64.from_address(params[2]).value)
        y = (ctypes.c_float * n).from_address(ctypes.c_uint64.from_address(params[3]).value)
        y[:] = [a * each + other for each, other in zip(x, y)]

    stand_in_for_kernels.kept = kernel(scale_add)
    entry.restype = ctypes.c_void_p
    register = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_char_p, kernel, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t))
    sizes = (ctypes.c_size_t * 4)(4, 4, 8, 8)
    for name in names:
        register(ctypes.c_void_p.from_address(entry() + 8).value)(name, stand_in_for_kernels.kept, 4, sizes)


class Graph:
    """A graph, the buffer that its result goes to, and what its nodes' arguments live in."""

    def __init__(self, names=(b"scale_add",)):
        ok(driver.cuInit(0))
        self.context = ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))
        ok(driver.cuCtxSetCurrent(self.context))
        stand_in_for_kernels(names)
        module = ok(driver.cuModuleLoadData(HEADER + b"".join(ENTRY % name for name in names)))
        self.functions = {name: ok(driver.cuModuleGetFunction(module, name)) for name in names}
        self.handle = ok(driver.cuGraphCreate(0))
        self.result = ok(driver.cuMemAlloc(BYTES))
        ok(driver.cuMemsetD32(self.result, 0, COUNT))
        self.stream = ok(driver.cuStreamCreate(0))
        self.kept = []

    @staticmethod
    def allocation_params():
        params = driver.CUDA_MEM_ALLOC_NODE_PARAMS()
        params.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        params.poolProps.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        params.poolProps.location.id = 0
        return params

    def alloc(self, *after, graph=None, bytesize=BYTES):
        """@return the node and the address"""
        params = self.allocation_params()
        params.bytesize = bytesize
        node = ok(driver.cuGraphAddMemAllocNode(graph or self.handle, list(after), len(after), params))
        return node, int(params.dptr)

    def free(self, address, *after, graph=None):
        return ok(driver.cuGraphAddMemFreeNode(graph or self.handle, list(after), len(after), address))

    def ones(self, address, *after, graph=None):
        params = driver.CUDA_MEMSET_NODE_PARAMS()
        params.dst, params.value, params.elementSize, params.width, params.height = address, ONE, 4, COUNT, 1
        return ok(driver.cuGraphAddMemsetNode(graph or self.handle, list(after), len(after), params, self.context))

    def scale_add(self, a, x, y, *after, graph=None, name=b"scale_add"):
        """y = a * x + y, under any of the names"""
        values = (ctypes.c_int(COUNT), ctypes.c_float(a), ctypes.c_uint64(int(x)), ctypes.c_uint64(int(y)))
        pointers = (ctypes.c_void_p * 4)(*(ctypes.addressof(v) for v in values))
        self.kept += [values, pointers]
        params = driver.CUDA_KERNEL_NODE_PARAMS()
        params.func = self.functions[name]
        params.gridDimX, params.gridDimY, params.gridDimZ = COUNT // 256, 1, 1
        params.blockDimX, params.blockDimY, params.blockDimZ = 256, 1, 1
        params.sharedMemBytes = 0
        params.kernelParams = ctypes.addressof(pointers)
        return ok(driver.cuGraphAddKernelNode(graph or self.handle, list(after), len(after), params))

    def instantiate(self):
        return driver.cuGraphInstantiate(self.handle, 0)

    def run(self, times=1):
        executable = ok(self.instantiate())
        for _ in range(times):
            ok(driver.cuGraphLaunch(executable, self.stream))
        ok(driver.cuStreamSynchronize(self.stream))
        ok(driver.cuGraphExecDestroy(executable))

    def sum(self):
        host = (ctypes.c_float * COUNT)()
        ok(driver.cuMemcpyDtoH(ctypes.addressof(host), self.result, BYTES))
        return sum(host)
