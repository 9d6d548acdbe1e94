"""Parts of a device, each with a stream of its own and all with the same memory, through `cuda.core`."""

import numpy as np
from cuda.bindings import driver
from cuda.core import ContextOptions, Device, LaunchConfig, ObjectCode, SMResourceOptions, launch
from driver_calls import check

ADD = b"""
.version 7.0
.target sm_50
.address_size 64
.visible .entry add(.param .u64 words, .param .u32 first, .param .u32 value)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.param.u64 %rd1, [words];
    ld.param.u32 %r2, [first];
    add.u32 %r1, %r1, %r2;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.param.u32 %r4, [value];
    ld.global.u32 %r5, [%rd2];
    add.u32 %r5, %r5, %r4;
    st.global.u32 [%rd2], %r5;
    ret;
}
"""
BLOCKS, THREADS = 256, 128
COUNT = BLOCKS * THREADS

device = Device(0)
device.set_current()
primary = check(*driver.cuCtxGetCurrent())
whole = device.resources.sm
groups, rest = whole.split(SMResourceOptions(count=whole.min_partition_size))
assert [group.sm_count for group in groups] == [whole.min_partition_size]
assert rest.sm_count == whole.sm_count - whole.min_partition_size, rest.sm_count
# The part and what it leaves, if it leaves anything.
parts = [part for part in (groups[0], rest) if part.sm_count]
contexts = [device.create_context(ContextOptions(resources=[part])) for part in parts]
assert all(context.is_green for context in contexts)
assert [context.resources.sm.sm_count for context in contexts] == [part.sm_count for part in parts]
streams = [context.create_stream() for context in contexts]
assert [stream.context == context for stream, context in zip(streams, contexts)] == [True] * len(parts)

# Code and memory belong to all of them.
kernel = ObjectCode.from_ptx(ADD).get_kernel("add")
words = check(*driver.cuMemAlloc(4 * COUNT * len(parts)))
check(*driver.cuMemsetD32(words, 5, COUNT * len(parts)))
check(*driver.cuCtxSynchronize())
config = LaunchConfig(grid=BLOCKS, block=THREADS)
for i, stream in enumerate(streams):
    launch(stream, config, kernel, int(words), np.uint32(i * COUNT), np.uint32(10 + i))
# The first waits for the others, and adds to what they have done.
for stream in streams[1:]:
    streams[0].wait(stream.record())
for i in range(len(parts)):
    launch(streams[0], config, kernel, int(words), np.uint32(i * COUNT), np.uint32(100))
streams[0].sync()
back = np.empty(COUNT * len(parts), np.uint32)
check(*driver.cuMemcpyDtoH(back.ctypes.data, words, back.nbytes))
np.testing.assert_array_equal(back, np.repeat([115 + i for i in range(len(parts))], COUNT))

# A green context is current like any other; what is made in it is of the primary one.
green = contexts[0].handle
check(*driver.cuCtxPushCurrent(green))
assert int(check(*driver.cuCtxGetCurrent())) == int(green) != int(primary)
owner = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT
more = check(*driver.cuMemAlloc(4 * COUNT))
assert int(check(*driver.cuPointerGetAttribute(owner, more))) == int(primary)
own = check(*driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
assert int(check(*driver.cuStreamGetCtx(own))) == int(green)
check(*driver.cuMemsetD32Async(more, 7, COUNT, own))
check(*driver.cuMemcpyDtoHAsync(back.ctypes.data, more, 4 * COUNT, own))
check(*driver.cuStreamSynchronize(own))
assert (back[:COUNT] == 7).all()
check(*driver.cuStreamDestroy(own))
check(*driver.cuCtxPopCurrent())
assert int(check(*driver.cuCtxGetCurrent())) == int(primary)

check(*driver.cuMemFree(words))
check(*driver.cuMemFree(more))
for stream in streams:
    stream.close()
for context in contexts:
    context.close()
assert check(*driver.cuDevicePrimaryCtxGetState(0))[1] == 1
print("PASS green_contexts")
