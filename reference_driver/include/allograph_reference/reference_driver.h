/* Controls of allograph's reference driver, the host-only libcuda.so.1 in this folder.
 *
 * Nothing needs to be linked: each function looks its entry point up in the running process. Where a real driver is loaded
 * instead, it does nothing and returns false (or zero), so one binary serves both. */
#ifndef ALLOGRAPH_REFERENCE_REFERENCE_DRIVER_H
#define ALLOGRAPH_REFERENCE_REFERENCE_DRIVER_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifndef RTLD_DEFAULT
#define RTLD_DEFAULT ((void*)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a host function that stands for a kernel is told: one call a launch, and the function loops over its threads itself. */
typedef struct allograph_reference_launch {
    unsigned int grid[3];      /* blocks in x, y, z */
    unsigned int block[3];     /* threads of a block in x, y, z */
    unsigned int shared_bytes; /* dynamic shared memory of a block */
    int device;                /* ordinal of the device that the kernel runs on */
    const char* name;          /* as registered */
} allograph_reference_launch;

/* `params[i]` points to the i-th parameter's value. Device addresses are host addresses and may be dereferenced. */
typedef void (*allograph_reference_kernel)(const allograph_reference_launch* launch, void** params);

/* What is alive in the process. */
typedef struct allograph_reference_counts {
    size_t graphs;           /* children and bodies of conditional nodes included */
    size_t executables;      /* not destroyed */
    size_t user_objects;     /* with a reference left */
    size_t streams;          /* created by cuStreamCreate and not destroyed */
    size_t events;           /* created and not destroyed */
    size_t allocations;      /* device allocations of graphs, streams and cuMemAlloc that can be freed now */
    size_t allocation_bytes; /* as asked for, not rounded */
} allograph_reference_counts;

/* The entry points. Programs call the inline functions below. */
typedef struct allograph_reference_table {
    unsigned int size; /* bytes of the table that the driver filled */
    bool (*register_kernel)(const char* name, allograph_reference_kernel function, size_t count, const size_t* sizes);
    bool (*set_parameter_read_only)(const char* name, size_t index);
    bool (*fail)(const char* function, unsigned int nth, int result);
    bool (*clear_failures)(void);
    size_t (*calls)(const char* function);
    bool (*counts)(allograph_reference_counts* counts);
    bool (*set_strict)(bool on);
    size_t (*report_count)(void);
    const char* (*report)(size_t index);
    bool (*clear_reports)(void);
    bool (*set_conditional)(unsigned long long handle, unsigned int value);
    bool (*set_order_seed)(unsigned long long seed);
} allograph_reference_table;

/* The table of the reference driver, null where the process has another driver. */
static inline const allograph_reference_table* allograph_reference_find(void) {
    const allograph_reference_table* (*entry)(void) = 0;
    void* symbol = dlsym(RTLD_DEFAULT, "allograph_reference_entry_points_v1");
    if (symbol == 0)
        return 0;
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from an object pointer to a function pointer */
    return entry();
}

/* True where the process runs on the reference driver. */
static inline bool allograph_reference_active(void) { return allograph_reference_find() != 0; }

/* Lets `function` stand for the kernel `name` of every module and library. `sizes` holds the bytes of its `count` parameters:
 * cuFuncGetParamInfo answers from them, each parameter aligned to its size (at most 8). A second registration of a name replaces
 * the first. */
static inline bool allograph_reference_register_kernel(const char* name, allograph_reference_kernel function, size_t count,
                                                       const size_t* sizes) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->register_kernel(name, function, count, sizes);
}

/* Says that the kernel only reads through its pointer parameter `index`: strict mode then reports fewer races. */
static inline bool allograph_reference_set_parameter_read_only(const char* name, size_t index) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->set_parameter_read_only(name, index);
}

/* The `nth` call from now of `function` (1 is the next; a name without version suffix means every version) answers `result` and
 * does nothing else. */
static inline bool allograph_reference_fail(const char* function, unsigned int nth, int result) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->fail(function, nth, result);
}

/* Forgets every failure that was asked for and did not happen yet. */
static inline bool allograph_reference_clear_failures(void) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->clear_failures();
}

/* How often `function` was called in this process, all versions together. */
static inline size_t allograph_reference_calls(const char* function) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 ? table->calls(function) : 0;
}

/* Fills in what is alive in the process. */
static inline bool allograph_reference_get_counts(allograph_reference_counts* counts) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->counts(counts);
}

/* Strict mode reports what the real driver is silent about, at cuGraphInstantiate* and at launch. It changes no answer. */
static inline bool allograph_reference_set_strict(bool on) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->set_strict(on);
}

/* How many reports strict mode has made since they were cleared. */
static inline size_t allograph_reference_report_count(void) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 ? table->report_count() : 0;
}

/* The text of a report, "[O3] ...", valid until the reports are cleared; null past the last. */
static inline const char* allograph_reference_report(size_t index) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 ? table->report(index) : 0;
}

/* Forgets every report. */
static inline bool allograph_reference_clear_reports(void) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->clear_reports();
}

/* What cudaGraphSetConditional does in a kernel. */
static inline bool allograph_reference_set_conditional(unsigned long long handle, unsigned int value) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->set_conditional(handle, value);
}

/* Nodes that no edge orders run in the order of their creation with seed 0, in a permutation drawn from any other seed. */
static inline bool allograph_reference_set_order_seed(unsigned long long seed) {
    const allograph_reference_table* table = allograph_reference_find();
    return table != 0 && table->set_order_seed(seed);
}

#ifdef __cplusplus
}
#endif

#endif
