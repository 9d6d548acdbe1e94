//! Objects that are destroyed while work that uses them waits or runs.
//!
//! A kernel holds a stream until a word of the host's memory says go on, or for three seconds. What is
//! destroyed meanwhile either waits for the stream, so that only another thread can let it go on, or does not.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use cuda_types::cuda::*;
use differential::api::Api;

use super::Case;
use super::graph::{graph, instantiate, kernel_of};
use super::texture::{linear, of_array, of_mipmapped, sampler};
use crate::Answers;
use crate::setup::*;

const FLOAT: CUarray_format = CUarray_format::CU_AD_FORMAT_FLOAT;
/// After how long another thread opens the gate for a call that waits.
const PATIENCE: Duration = Duration::from_millis(700);

const PTX: &str = concat!(include_str!("lifetime.ptx"), "\0");

/// A stream that can be held, and words of the host's memory: the first opens the gate, kernels write the others.
struct Gate<'a> {
    api: &'a Api,
    module: CUmodule,
    stream: CUstream,
    words: *mut u32,
}

/// An address that another thread writes to.
struct Word(*mut u32);
// SAFETY: the word is memory of the whole process.
unsafe impl Send for Word {}

impl<'a> Gate<'a> {
    fn new(api: &'a Api) -> Self {
        context(api);
        Self::in_current(api)
    }

    fn in_current(api: &'a Api) -> Self {
        let (mut module, mut stream, mut words) = (null_mut(), null_mut(), null_mut());
        must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
        must(api.cuStreamCreate(&mut stream, 1));
        must(api.cuMemHostAlloc(&mut words, 4096, 3));
        let gate = Self { api, module, stream, words: words.cast() };
        for word in 0..16 {
            gate.set(word, 0);
        }
        // Nothing may have to be loaded while a stream is held.
        gate.set(0, 1);
        gate.put(c"gate", &[gate.word(0)]);
        gate.put(c"store", &[gate.word(1), 0]);
        gate.put(c"store_later", &[gate.word(1), 0, gate.word(0)]);
        gate.put(c"copy", &[gate.word(1), gate.word(1)]);
        must(api.cuStreamSynchronize(stream));
        gate
    }

    fn word(&self, at: usize) -> u64 {
        self.words.wrapping_add(at) as u64
    }

    fn set(&self, at: usize, value: u32) {
        // SAFETY: the words are there for the whole case.
        unsafe { self.words.add(at).write_volatile(value) }
    }

    fn get(&self, at: usize) -> i64 {
        // SAFETY: as above.
        unsafe { self.words.add(at).read_volatile() }.into()
    }

    fn put_to(&self, stream: CUstream, name: &std::ffi::CStr, arguments: &[u64]) {
        let function = kernel(self.api, self.module, name);
        let mut values = arguments.to_vec();
        let mut list: Vec<*mut c_void> =
            values.iter_mut().map(|v| (v as *mut u64).cast()).collect();
        let list = list.as_mut_ptr();
        must(self.api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, list, null_mut()));
    }

    fn put(&self, name: &std::ffi::CStr, arguments: &[u64]) {
        self.put_to(self.stream, name, arguments);
    }

    /// Holds the stream.
    fn close(&self) {
        self.set(0, 0);
        self.put(c"gate", &[self.word(0)]);
    }

    fn open(&self) {
        self.set(0, 1);
    }

    /// The answer of a call while the stream is held, and whether it waits for the stream.
    fn meanwhile(&self, call: impl FnOnce() -> i64) -> [i64; 2] {
        let (returned, has_returned) = channel::<()>();
        let word = Word(self.words);
        let opener = std::thread::spawn(move || {
            let word = word;
            let waits = has_returned.recv_timeout(PATIENCE).is_err();
            if waits {
                // SAFETY: the words are there for the whole case.
                unsafe { word.0.write_volatile(1) }
            }
            waits
        });
        let code = call();
        let _ = returned.send(());
        [code, opener.join().unwrap().into()]
    }

    /// Opens the gate, and waits for the stream.
    fn finish(&self) -> i64 {
        self.open();
        self.api.cuStreamSynchronize(self.stream)
    }

    /// The answer of a call that has nothing to do with what is held, and whether it waits.
    fn unrelated(&self, call: impl FnOnce() -> i64) -> [i64; 2] {
        self.close();
        let answer = self.meanwhile(call);
        must(self.finish());
        answer
    }
}

/// An image of one number.
fn image(api: &Api, value: f32, flags: u32) -> CUarray {
    let array = array(api, &shape([16, 16, 0], FLOAT, 1, flags));
    fill(api, array, value);
    array
}

fn plane(array: CUarray, host: *mut c_void) -> CUDA_MEMCPY2D {
    // SAFETY: a plain structure.
    let mut copy: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
    copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.srcPitch = 64;
    copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    (copy.WidthInBytes, copy.Height) = (64, 16);
    copy
}

fn back(array: CUarray, host: *mut c_void) -> CUDA_MEMCPY2D {
    let mut copy = plane(null_mut(), null_mut());
    copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
    (copy.dstHost, copy.dstPitch) = (host, 64);
    copy
}

fn fill(api: &Api, array: CUarray, value: f32) {
    let mut texels = [value; 256];
    must(api.cuMemcpy2D_v2(&plane(array, texels.as_mut_ptr().cast())));
}

fn first(api: &Api, array: CUarray) -> i64 {
    let mut texels = [0_f32; 256];
    must(api.cuMemcpy2D_v2(&back(array, texels.as_mut_ptr().cast())));
    texels[0] as i64
}

fn texture(api: &Api, resource: &CUDA_RESOURCE_DESC) -> u64 {
    let mut object = 0;
    must(api.cuTexObjectCreate(&mut object, resource, &sampler(), null()));
    object
}

fn surface(api: &Api, array: CUarray) -> u64 {
    let mut object = 0;
    must(api.cuSurfObjectCreate(&mut object, &of_array(array)));
    object
}

/// Destroys a texture that a waiting kernel reads, and makes others that could take its place.
fn destroy_texture(gate: &Gate, object: u64, other: &CUDA_RESOURCE_DESC) -> Answers {
    let api = gate.api;
    let mut answers = gate.meanwhile(|| api.cuTexObjectDestroy(object)).to_vec();
    let made = gate.meanwhile(|| {
        (0..8).for_each(|_| {
            texture(api, other);
        });
        0
    });
    answers.extend(made);
    answers.extend([gate.finish(), gate.get(1)]);
    answers
}

fn destroy_surface(gate: &Gate, object: u64, arrays: [CUarray; 2]) -> Answers {
    let api = gate.api;
    let mut answers = gate.meanwhile(|| api.cuSurfObjectDestroy(object)).to_vec();
    let made = gate.meanwhile(|| {
        (0..8).for_each(|_| {
            surface(api, arrays[1]);
        });
        0
    });
    answers.extend(made);
    answers.push(gate.finish());
    answers.extend(arrays.map(|array| first(api, array)));
    answers
}

/// The number of calls of the destructor of a user object.
static DESTROYED: AtomicI64 = AtomicI64::new(0);

unsafe extern "C" fn count(_data: *mut c_void) {
    DESTROYED.fetch_add(1, Ordering::SeqCst);
}

/// The calls of the destructor, after a while if there are none.
fn destroyed_in_the_end() -> i64 {
    for _ in 0..200 {
        if DESTROYED.load(Ordering::SeqCst) != 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    DESTROYED.load(Ordering::SeqCst)
}

/// A graph that writes a word, after having been held if `later`.
fn storing_graph(gate: &Gate, later: bool) -> CUgraph {
    let api = gate.api;
    let name = if later { c"store_later" } else { c"store" };
    let mut values = [gate.word(1), 42, gate.word(0)];
    let mut list = values.each_mut().map(|value| (value as *mut u64).cast::<c_void>());
    let graph = graph(api);
    let params = kernel_of(kernel(api, gate.module, name), list.as_mut_ptr());
    let mut node = null_mut();
    must(api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &params));
    graph
}

pub const CASES: &[Case] = &[
    ("lifetime/texture", |api| {
        let gate = Gate::new(api);
        let object = texture(api, &of_array(image(api, 5.0, 0)));
        let other = of_array(image(api, 9.0, 0));
        gate.put(c"sample", &[gate.word(2), object]);
        gate.close();
        gate.put(c"sample", &[gate.word(1), object]);
        destroy_texture(&gate, object, &other)
    }),
    ("lifetime/texture_without_others", |api| {
        let gate = Gate::new(api);
        let object = texture(api, &of_array(image(api, 5.0, 0)));
        gate.put(c"sample", &[gate.word(2), object]);
        gate.close();
        gate.put(c"sample", &[gate.word(1), object]);
        let mut answers = gate.meanwhile(|| api.cuTexObjectDestroy(object)).to_vec();
        let mut resource = of_array(null_mut());
        answers.push(api.cuTexObjectGetResourceDesc(&mut resource, object));
        answers.extend([gate.finish(), gate.get(1)]);
        answers
    }),
    ("lifetime/texture_of_running", |api| {
        let gate = Gate::new(api);
        let object = texture(api, &of_array(image(api, 5.0, 0)));
        let other = of_array(image(api, 9.0, 0));
        gate.put(c"sample_later", &[gate.word(2), object, gate.word(0)]);
        must(gate.finish());
        gate.set(0, 0);
        gate.put(c"sample_later", &[gate.word(1), object, gate.word(0)]);
        destroy_texture(&gate, object, &other)
    }),
    ("lifetime/texture_of_memory", |api| {
        let gate = Gate::new(api);
        let memory = [5.0_f32, 9.0].map(|value| {
            let memory = allocate(api, 4096);
            must(api.cuMemsetD32_v2(memory, value.to_bits(), 1024));
            linear(memory, FLOAT, 1, 4096)
        });
        let object = texture(api, &memory[0]);
        gate.put(c"sample_row", &[gate.word(2), object]);
        gate.close();
        gate.put(c"sample_row", &[gate.word(1), object]);
        destroy_texture(&gate, object, &memory[1])
    }),
    ("lifetime/texture_twice", |api| {
        let gate = Gate::new(api);
        let object = texture(api, &of_array(image(api, 5.0, 0)));
        gate.put(c"sample", &[gate.word(2), object]);
        gate.close();
        gate.put(c"sample", &[gate.word(1), object]);
        let first = gate.meanwhile(|| api.cuTexObjectDestroy(object));
        let second = gate.meanwhile(|| api.cuTexObjectDestroy(object));
        [&first[..], &second[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/surface", |api| {
        let gate = Gate::new(api);
        let arrays = [1.0, 2.0].map(|value| image(api, value, CUDA_ARRAY3D_SURFACE_LDST));
        let object = surface(api, arrays[0]);
        gate.put(c"draw", &[object, 3]);
        gate.close();
        gate.put(c"draw", &[object, 5]);
        destroy_surface(&gate, object, arrays)
    }),
    ("lifetime/surface_of_running", |api| {
        let gate = Gate::new(api);
        let arrays = [1.0, 2.0].map(|value| image(api, value, CUDA_ARRAY3D_SURFACE_LDST));
        let object = surface(api, arrays[0]);
        gate.put(c"draw_later", &[object, 3, gate.word(0)]);
        must(gate.finish());
        gate.set(0, 0);
        gate.put(c"draw_later", &[object, 5, gate.word(0)]);
        destroy_surface(&gate, object, arrays)
    }),
    ("lifetime/array", |api| {
        let gate = Gate::new(api);
        let array = image(api, 5.0, 0);
        let object = texture(api, &of_array(array));
        gate.put(c"sample", &[gate.word(2), object]);
        gate.close();
        gate.put(c"sample", &[gate.word(1), object]);
        let answer = gate.meanwhile(|| api.cuArrayDestroy(array));
        [&answer[..], &[gate.finish(), gate.get(1), api.cuTexObjectDestroy(object)]].concat()
    }),
    ("lifetime/array_after_texture", |api| {
        let gate = Gate::new(api);
        let array = image(api, 5.0, 0);
        let object = texture(api, &of_array(array));
        gate.put(c"sample", &[gate.word(2), object]);
        gate.close();
        gate.put(c"sample", &[gate.word(1), object]);
        let textured = gate.meanwhile(|| api.cuTexObjectDestroy(object));
        let answer = gate.meanwhile(|| api.cuArrayDestroy(array));
        let other = gate.meanwhile(|| {
            image(api, 9.0, 0);
            0
        });
        [&textured[..], &answer[..], &other[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/array_in_copy", |api| {
        let gate = Gate::new(api);
        let array = image(api, 5.0, 0);
        let mut host = null_mut();
        must(api.cuMemHostAlloc(&mut host, 4096, 3));
        gate.close();
        must(api.cuMemcpy2DAsync_v2(&back(array, host), gate.stream));
        let answer = gate.meanwhile(|| api.cuArrayDestroy(array));
        let code = gate.finish();
        // SAFETY: the copy has been made.
        let texel = unsafe { host.cast::<f32>().read_volatile() };
        [&answer[..], &[code, texel as i64]].concat()
    }),
    ("lifetime/array_unrelated", |api| {
        let gate = Gate::new(api);
        let array = image(api, 5.0, 0);
        gate.unrelated(|| api.cuArrayDestroy(array)).to_vec()
    }),
    ("lifetime/mipmapped", |api| {
        let gate = Gate::new(api);
        let mipmapped = mipmapped(api, &shape([16, 16, 0], FLOAT, 1, 0), 2);
        let mut level = null_mut();
        must(api.cuMipmappedArrayGetLevel(&mut level, mipmapped, 0));
        fill(api, level, 5.0);
        let object = texture(api, &of_mipmapped(mipmapped));
        gate.put(c"sample", &[gate.word(2), object]);
        gate.close();
        gate.put(c"sample", &[gate.word(1), object]);
        let answer = gate.meanwhile(|| api.cuMipmappedArrayDestroy(mipmapped));
        [&answer[..], &[gate.finish(), gate.get(1), api.cuTexObjectDestroy(object)]].concat()
    }),
    ("lifetime/module", |api| {
        let gate = Gate::new(api);
        let mut module = null_mut();
        must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
        let other = Gate { module, ..Gate::new(api) };
        other.put_to(gate.stream, c"store", &[gate.word(1), 1]);
        gate.close();
        other.put_to(gate.stream, c"store", &[gate.word(1), 42]);
        let answer = gate.meanwhile(|| api.cuModuleUnload(module));
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/module_of_running", |api| {
        let gate = Gate::new(api);
        gate.set(0, 0);
        gate.put(c"store_later", &[gate.word(1), 42, gate.word(0)]);
        let answer = gate.meanwhile(|| api.cuModuleUnload(gate.module));
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/module_unrelated", |api| {
        let gate = Gate::new(api);
        let mut module = null_mut();
        must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
        gate.unrelated(|| api.cuModuleUnload(module)).to_vec()
    }),
    ("lifetime/library", |api| {
        let gate = Gate::new(api);
        let mut library = null_mut();
        must(load_library(api, &mut library, PTX.as_ptr().cast()));
        let mut module = null_mut();
        must(api.cuLibraryGetModule(&mut module, library));
        let other = Gate { module, ..Gate::new(api) };
        other.put_to(gate.stream, c"store", &[gate.word(1), 1]);
        gate.close();
        other.put_to(gate.stream, c"store", &[gate.word(1), 42]);
        let answer = gate.meanwhile(|| api.cuLibraryUnload(library));
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/event_recorded", |api| {
        let gate = Gate::new(api);
        let event = event(api);
        gate.close();
        must(api.cuEventRecord(event, gate.stream));
        let answer = gate.meanwhile(|| api.cuEventDestroy_v2(event));
        gate.put(c"store", &[gate.word(1), 42]);
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/event_waited_for", |api| {
        let gate = Gate::new(api);
        let (event, mut other) = (event(api), null_mut());
        must(api.cuStreamCreate(&mut other, 1));
        gate.close();
        must(api.cuEventRecord(event, gate.stream));
        must(api.cuStreamWaitEvent(other, event, 0));
        let answer = gate.meanwhile(|| api.cuEventDestroy_v2(event));
        gate.put_to(other, c"copy", &[gate.word(1), gate.word(0)]);
        let held = api.cuStreamQuery(other);
        let codes = [held, gate.finish(), api.cuStreamSynchronize(other), gate.get(1)];
        [&answer[..], &codes[..]].concat()
    }),
    ("lifetime/stream", |api| {
        let gate = Gate::new(api);
        gate.close();
        gate.put(c"store", &[gate.word(1), 42]);
        let answer = gate.meanwhile(|| api.cuStreamDestroy_v2(gate.stream));
        gate.open();
        [&answer[..], &[api.cuCtxSynchronize(), gate.get(1)]].concat()
    }),
    ("lifetime/stream_with_host_function", |api| {
        let gate = Gate::new(api);
        gate.close();
        must(api.cuLaunchHostFunc(gate.stream, Some(count), null_mut()));
        gate.put(c"store", &[gate.word(1), 42]);
        let answer = gate.meanwhile(|| api.cuStreamDestroy_v2(gate.stream));
        gate.open();
        let code = api.cuCtxSynchronize();
        [&answer[..], &[code, gate.get(1), DESTROYED.load(Ordering::SeqCst)]].concat()
    }),
    ("lifetime/pool", |api| {
        let gate = Gate::new(api);
        let (pool, mut memory, mut value) = (memory_pool(api), 0, 0_u32);
        must(api.cuMemAllocFromPoolAsync(&mut memory, 4096, pool, gate.stream));
        must(gate.finish());
        gate.close();
        gate.put(c"store", &[memory, 42]);
        let answer = gate.meanwhile(|| api.cuMemPoolDestroy(pool));
        let codes = [
            gate.finish(),
            api.cuMemcpyDtoH_v2((&raw mut value).cast(), memory, 4),
            value.into(),
            api.cuMemFreeAsync(memory, gate.stream),
            gate.finish(),
        ];
        [&answer[..], &codes[..]].concat()
    }),
    ("lifetime/pool_of_freed", |api| {
        let gate = Gate::new(api);
        let (pool, mut memory) = (memory_pool(api), 0);
        must(api.cuMemAllocFromPoolAsync(&mut memory, 4096, pool, gate.stream));
        must(gate.finish());
        gate.close();
        gate.put(c"store", &[memory, 42]);
        gate.put(c"copy", &[gate.word(1), memory]);
        must(api.cuMemFreeAsync(memory, gate.stream));
        let answer = gate.meanwhile(|| api.cuMemPoolDestroy(pool));
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/memory", |api| {
        let gate = Gate::new(api);
        let memory = allocate(api, 4096);
        gate.close();
        gate.put(c"store", &[memory, 42]);
        gate.put(c"copy", &[gate.word(1), memory]);
        let answer = gate.meanwhile(|| api.cuMemFree_v2(memory));
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/memory_unrelated", |api| {
        let gate = Gate::new(api);
        let memory = allocate(api, 4096);
        gate.unrelated(|| api.cuMemFree_v2(memory)).to_vec()
    }),
    ("lifetime/pooled_memory_freed_at_once", |api| {
        let gate = Gate::new(api);
        let (pool, mut memory) = (memory_pool(api), 0);
        must(api.cuMemAllocFromPoolAsync(&mut memory, 4096, pool, gate.stream));
        must(gate.finish());
        gate.close();
        gate.put(c"store", &[memory, 42]);
        gate.put(c"copy", &[gate.word(1), memory]);
        let answer = gate.meanwhile(|| api.cuMemFree_v2(memory));
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/host_memory", |api| {
        let gate = Gate::new(api);
        let mut host = null_mut();
        must(api.cuMemHostAlloc(&mut host, 4096, 3));
        gate.close();
        gate.put(c"store", &[host as u64, 42]);
        gate.put(c"copy", &[gate.word(1), host as u64]);
        let answer = gate.meanwhile(|| api.cuMemFreeHost(host));
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/host_memory_unrelated", |api| {
        let gate = Gate::new(api);
        let mut host = null_mut();
        must(api.cuMemHostAlloc(&mut host, 4096, 3));
        gate.unrelated(|| api.cuMemFreeHost(host)).to_vec()
    }),
    ("lifetime/registration", |api| {
        let gate = Gate::new(api);
        let buffer: *mut u32 = foreign();
        let page = ((buffer as usize).next_multiple_of(64)) as *mut u32;
        must(api.cuMemHostRegister_v2(page.cast(), 64, 3));
        let mut address = 0;
        must(api.cuMemHostGetDevicePointer_v2(&mut address, page.cast(), 0));
        gate.close();
        gate.put(c"store", &[address, 42]);
        let answer = gate.meanwhile(|| api.cuMemHostUnregister(page.cast()));
        let code = gate.finish();
        // SAFETY: the static is there for the whole program.
        [&answer[..], &[code, unsafe { page.read_volatile() }.into()]].concat()
    }),
    ("lifetime/registration_unrelated", |api| {
        let gate = Gate::new(api);
        let buffer: *mut u32 = foreign();
        must(api.cuMemHostRegister_v2(buffer.cast(), 64, 3));
        gate.unrelated(|| api.cuMemHostUnregister(buffer.cast())).to_vec()
    }),
    ("lifetime/graph_exec", |api| {
        let gate = Gate::new(api);
        let graph = storing_graph(&gate, false);
        let exec = instantiate(api, graph);
        must(api.cuGraphLaunch(exec, gate.stream));
        must(gate.finish());
        gate.set(1, 0);
        gate.close();
        must(api.cuGraphLaunch(exec, gate.stream));
        let answer = gate.meanwhile(|| api.cuGraphExecDestroy(exec));
        let other = gate.meanwhile(|| api.cuGraphDestroy(graph));
        [&answer[..], &other[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/graph_exec_of_running", |api| {
        let gate = Gate::new(api);
        let graph = storing_graph(&gate, true);
        let exec = instantiate(api, graph);
        must(api.cuGraphLaunch(exec, gate.stream));
        must(gate.finish());
        gate.set(0, 0);
        gate.set(1, 0);
        must(api.cuGraphLaunch(exec, gate.stream));
        let answer = gate.meanwhile(|| api.cuGraphExecDestroy(exec));
        let other = gate.meanwhile(|| api.cuGraphDestroy(graph));
        [&answer[..], &other[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/user_object", |api| {
        let gate = Gate::new(api);
        let graph = storing_graph(&gate, true);
        let mut object = null_mut();
        must(api.cuUserObjectCreate(&mut object, null_mut(), Some(count), 1, 1));
        // CU_GRAPH_USER_OBJECT_MOVE
        must(api.cuGraphRetainUserObject(graph, object, 1, 1));
        let exec = instantiate(api, graph);
        must(api.cuGraphLaunch(exec, gate.stream));
        must(gate.finish());
        gate.set(0, 0);
        gate.set(1, 0);
        must(api.cuGraphLaunch(exec, gate.stream));
        must(api.cuGraphDestroy(graph));
        let answer = gate.meanwhile(|| api.cuGraphExecDestroy(exec));
        let before = DESTROYED.load(Ordering::SeqCst);
        [&answer[..], &[before, gate.finish(), destroyed_in_the_end(), gate.get(1)]].concat()
    }),
    ("lifetime/user_object_of_idle", |api| {
        let gate = Gate::new(api);
        let graph = storing_graph(&gate, false);
        let mut object = null_mut();
        must(api.cuUserObjectCreate(&mut object, null_mut(), Some(count), 1, 1));
        must(api.cuGraphRetainUserObject(graph, object, 1, 1));
        let exec = instantiate(api, graph);
        must(api.cuGraphLaunch(exec, gate.stream));
        must(gate.finish());
        must(api.cuGraphDestroy(graph));
        let answer = gate.unrelated(|| api.cuGraphExecDestroy(exec));
        [&answer[..], &[destroyed_in_the_end()]].concat()
    }),
    ("lifetime/primary_reset", |api| {
        let gate = Gate::new(api);
        gate.close();
        let answer = gate.meanwhile(|| api.cuDevicePrimaryCtxReset_v2(0));
        answer.to_vec()
    }),
    ("lifetime/context", |api| {
        let gate = Gate::new(api);
        let mut context = null_mut();
        must(api.cuCtxCreate_v2(&mut context, 0, 0));
        let (inner, mut stream) = (Gate::in_current(api), null_mut());
        must(api.cuStreamCreate(&mut stream, 1));
        inner.set(0, 1);
        gate.set(0, 0);
        inner.put_to(stream, c"store_later", &[gate.word(1), 42, gate.word(0)]);
        let answer = gate.meanwhile(|| api.cuCtxDestroy_v2(context));
        [&answer[..], &[gate.finish(), gate.get(1)]].concat()
    }),
    ("lifetime/calls_that_wait", |api| {
        let gate = Gate::new(api);
        let (memory, mut other, mut host) = (allocate(api, 4096), 0, null_mut());
        let (mut made, mut recorded, mut pool_of) = (null_mut(), null_mut(), null_mut());
        let (mut module, mut free, mut total) = (null_mut(), 0, 0);
        let mut value = 0_u32;
        let buffer: *mut u32 = foreign();
        let stream = stream(api);
        [
            gate.unrelated(|| api.cuMemAlloc_v2(&mut other, 4096)),
            gate.unrelated(|| api.cuMemAllocHost_v2(&mut host, 4096)),
            gate.unrelated(|| api.cuMemHostRegister_v2(buffer.cast(), 64, 3)),
            gate.unrelated(|| api.cuStreamCreate(&mut made, 0)),
            gate.unrelated(|| api.cuEventCreate(&mut recorded, 0)),
            gate.unrelated(|| api.cuStreamDestroy_v2(stream)),
            gate.unrelated(|| {
                pool_of = memory_pool(api);
                0
            }),
            gate.unrelated(|| api.cuMemPoolDestroy(pool_of)),
            gate.unrelated(|| api.cuMemGetInfo_v2(&mut free, &mut total)),
            gate.unrelated(|| api.cuMemcpyDtoH_v2((&raw mut value).cast(), memory, 4)),
            gate.unrelated(|| api.cuMemsetD32_v2(memory, 1, 4)),
            gate.unrelated(|| api.cuModuleLoadData(&mut module, PTX.as_ptr().cast())),
            gate.unrelated(|| {
                image(api, 1.0, 0);
                0
            }),
            gate.unrelated(|| api.cuCtxSetLimit(CUlimit::CU_LIMIT_STACK_SIZE, 2048)),
            gate.unrelated(|| api.cuCtxSetLimit(CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 21)),
        ]
        .concat()
    }),
];
