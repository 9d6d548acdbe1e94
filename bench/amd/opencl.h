// What kernels in OpenCL C need of the language's library, by the compiler's own names.
#pragma once

#define BLOCK_X ((uint)__builtin_amdgcn_workgroup_id_x())
#define BLOCK_Y ((uint)__builtin_amdgcn_workgroup_id_y())
#define THREAD_X ((uint)__builtin_amdgcn_workitem_id_x())
#define THREAD_Y ((uint)__builtin_amdgcn_workitem_id_y())
#define THREADS_X ((uint)__builtin_amdgcn_workgroup_size_x())
#define THREADS_Y ((uint)__builtin_amdgcn_workgroup_size_y())
#define BLOCKS_X (((__constant uint *)__builtin_amdgcn_implicitarg_ptr())[0])

#define BARRIER()                                                                                                      \
    do {                                                                                                               \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                                         \
        __builtin_amdgcn_s_barrier();                                                                                  \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                                         \
    } while (0)

typedef unsigned int uint;
