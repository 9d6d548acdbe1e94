//! Tests that run kernels, on whatever device the process has.
//!
//! A comment line `// run: kernel [grid=N] [block=N[xN]] [cluster=N] [levels] [cpu]` begins a case, which `levels` asks to be run
//! as code for older processors, too, and `cpu` not to be run by an emulated GPU: what it asks for is how a GPU's waves take turns. The lines up to the next one are its buffers, in the order of the kernel's parameters (all pointers): `// in: u32 1 2 0xff`, and
//! `// out: f32 1.5 nan`. Outputs begin as zeros. NaN equals NaN whatever its payload. A line that begins
//! with `// +` continues the one before.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::null_mut;

use amd_abi::cluster_launch::{BYTES, ClusterLaunch, SMALLEST_WINDOW};
use hip_runtime_sys::*;
use libtest_mimic::Failed;
use ptx::{Blocks, Executor, KernelInfo, Options, Program, Target};
use zluda_hip_cpu::api::*;

struct Case {
    kernel: String,
    grid: u32,
    /// Columns and rows.
    block: [u32; 2],
    /// Also as code for older processors.
    levels: bool,
    cpu: bool,
    /// Blocks in a cluster; 0 where the launch says nothing of clusters.
    cluster: u32,
    /// AMD GPUs refuse it.
    buffers: Vec<Values>,
}

struct Values {
    type_: String,
    output: bool,
    words: Vec<u64>,
}

impl Values {
    fn width(&self) -> usize {
        self.type_[1..].parse::<usize>().unwrap_or(32) / 8
    }

    fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()[..self.width()].to_vec()).collect()
    }

    fn is_nan(&self, word: u64) -> bool {
        match self.type_.as_str() {
            "f32" => f32::from_bits(word as u32).is_nan(),
            "f64" => f64::from_bits(word).is_nan(),
            "f16" => word & 0x7fff > 0x7c00,
            _ => false,
        }
    }
}

/// Runs the cases of a file as code for each of the targets.
pub fn test(file: &Path, targets: &[Target]) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let program = Program::parse(&text).map_err(|e| e.to_string())?;
    let cases = cases(&text)?;
    if cases.is_empty() {
        return Err("the file has no `// run:` line".into());
    }
    for case in &cases {
        for target in targets.iter().flat_map(|target| case.targets(target)) {
            compile_and_run(&program, case, &target)
                .map_err(|error| format!("{target:?}, `{}`: {error}", case.kernel))?;
        }
    }
    Ok(())
}

/// Processors with SSE and with AVX2.
const OLDER: [&str; 2] = ["x86-64-v2", "x86-64-v3"];

impl Case {
    /// A target, and the same one with code for nothing but blocks like those of the case, where there is such.
    fn targets(&self, target: &Target) -> Vec<Target> {
        if self.cpu && matches!(target, Target::Amdgcn { .. }) {
            return Vec::new();
        }
        let Target::Cpu { blocks: Blocks::Any, executor: executor @ Executor::Vector, .. } = target
        else {
            return vec![target.clone()];
        };
        let mut shapes = vec![Blocks::Any];
        match self.block {
            [columns, _] if columns.is_multiple_of(32) => shapes.push(Blocks::WholeWarps),
            [_, 1] => shapes.push(Blocks::RowWarps),
            [16, rows] if rows.is_multiple_of(2) => shapes.push(Blocks::HalfWarpRows),
            _ => {}
        }
        let levels = if self.levels { OLDER.as_slice() } else { &[] };
        let of_shape = |blocks: Blocks| {
            let older = levels.iter().map(move |level| Target::cpu(Some(level), blocks, *executor));
            std::iter::once(target.clone().with_blocks(blocks)).chain(older)
        };
        shapes.into_iter().flat_map(of_shape).collect()
    }
}

/// Columns and rows, of `16x4` or `64`.
fn shape(text: &str) -> Option<[u32; 2]> {
    let (columns, rows) = text.split_once('x').unwrap_or((text, "1"));
    Some([columns.parse().ok()?, rows.parse().ok()?])
}

fn compile_and_run(program: &Program, case: &Case, target: &Target) -> Result<(), String> {
    let mut target = target.clone();
    let mut in_windows = false;
    if let Target::Amdgcn { clusters, .. } = &mut target {
        *clusters = case.cluster > 1;
        in_windows = *clusters;
    }
    let object = program
        .compile(&case.kernel, &target, &Options { verify: true, ..Options::default() })
        .map_err(|e| e.to_string())?;
    let info = program.kernel(&case.kernel).cloned().unwrap_or_default();
    run(case, &object, &info, in_windows)
}

fn cases(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("// run:") {
            let mut words = rest.split_whitespace();
            let kernel = words.next().ok_or("`// run:` names a kernel")?.to_owned();
            let mut case = Case {
                kernel,
                grid: 1,
                block: [1; 2],
                levels: false,
                cpu: false,
                cluster: 0,
                buffers: Vec::new(),
            };
            for word in words {
                match word.split_once('=') {
                    Some(("grid", n)) => case.grid = n.parse().map_err(|_| word)?,
                    Some(("block", n)) => case.block = shape(n).ok_or(word)?,
                    Some(("cluster", n)) => case.cluster = n.parse().map_err(|_| word)?,
                    None if word == "levels" => case.levels = true,
                    None if word == "cpu" => case.cpu = true,
                    _ => return Err(format!("unknown word `{word}`")),
                }
            }
            cases.push(case);
            continue;
        }
        let (output, rest) = match (line.strip_prefix("// in:"), line.strip_prefix("// out:")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => match line.strip_prefix("// +") {
                Some(rest) => {
                    let last =
                        cases.last_mut().and_then(|case| case.buffers.last_mut()).ok_or(line)?;
                    let type_ = last.type_.clone();
                    last.words.extend(values(&type_, rest)?);
                    continue;
                }
                None => continue,
            },
        };
        let case = cases.last_mut().ok_or("a buffer before the first `// run:`")?;
        let (type_, rest) = rest.trim().split_once(' ').ok_or("a buffer has a type and values")?;
        case.buffers.push(Values { type_: type_.to_owned(), output, words: values(type_, rest)? });
    }
    Ok(cases)
}

fn values(type_: &str, text: &str) -> Result<Vec<u64>, String> {
    text.split_whitespace()
        .map(|word| value(type_, word).ok_or(format!("`{word}` is no {type_}")))
        .collect()
}

fn value(type_: &str, word: &str) -> Option<u64> {
    if let Some(hex) = word.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    match type_ {
        "f32" => Some(word.parse::<f32>().ok()?.to_bits().into()),
        "f64" => Some(word.parse::<f64>().ok()?.to_bits()),
        _ => Some(word.parse::<i128>().ok()? as u64),
    }
}

fn ok(call: &str, error: hipError_t) -> Result<(), String> {
    if error == hipError_t::hipSuccess { Ok(()) } else { Err(format!("{call} gives {error:?}")) }
}

fn run(case: &Case, object: &[u8], info: &KernelInfo, in_windows: bool) -> Result<(), String> {
    let mut module = null_mut();
    let mut function = null_mut();
    let name = CString::new(case.kernel.as_str()).map_err(|e| e.to_string())?;
    // SAFETY: the image is an ELF file, and the pointers are valid.
    unsafe {
        ok("hipModuleLoadData", hipModuleLoadData(&mut module, object.as_ptr().cast()))?;
        ok("hipModuleGetFunction", hipModuleGetFunction(&mut function, module, name.as_ptr()))?;
    }
    let mut params = Vec::new();
    for buffer in &case.buffers {
        let bytes = if buffer.output { vec![0; buffer.bytes().len()] } else { buffer.bytes() };
        let mut pointer = null_mut();
        // SAFETY: valid pointers and lengths.
        unsafe {
            ok("hipMalloc", hipMalloc(&mut pointer, bytes.len()))?;
            ok("hipMemcpyHtoD", hipMemcpyHtoD(pointer, bytes.as_ptr().cast(), bytes.len()))?;
        }
        params.push(pointer as u64);
    }
    // The hidden parameters: these modules have no globals, and no launch is cooperative. Devices see registered memory.
    let services = services_block();
    let services_pointer = services.as_ptr().cast_mut().cast::<c_void>();
    // SAFETY: the memory outlives the launch.
    ok("hipHostRegister", unsafe {
        hipHostRegister(services_pointer, size_of_val(&*services), 0)
    })?;
    let hidden = [0, 0, services.as_ptr() as u64];
    params.extend(hidden);
    params.resize(info.total_param_size as usize / 8, 0);
    // AMD GPUs find shared memory of clusters in memory of the device.
    let memory = in_windows.then(|| windows(case, info, &mut params)).transpose()?;
    let mut size = size_of_val(params.as_slice());
    let mut extra = [
        HIP_LAUNCH_PARAM_BUFFER_POINTER,
        params.as_mut_ptr().cast::<c_void>(),
        HIP_LAUNCH_PARAM_BUFFER_SIZE,
        (&raw mut size).cast(),
        HIP_LAUNCH_PARAM_END,
    ];
    let Case { grid, block, cluster, .. } = *case;
    let (id, words) = match in_windows {
        true => (hipLaunchAttributeID::hipLaunchAttributeCooperative, [1, 0, 0]),
        false => (CLUSTER_DIMENSION, [cluster, 1, 1]),
    };
    let mut value = hipLaunchAttributeValue { pad: [0; 64] };
    // SAFETY: the attribute is at most three words, for which there is room.
    unsafe { (&raw mut value).cast::<[u32; 3]>().write_unaligned(words) };
    let mut attribute = hipLaunchAttribute {
        id,
        pad: [0; 4],
        __bindgen_anon_1: hipLaunchAttribute_st__bindgen_ty_1 { value },
    };
    let (grid_x, grid_y) = if in_windows { (cluster, grid / cluster) } else { (grid, 1) };
    let config = HIP_LAUNCH_CONFIG {
        gridDimX: grid_x,
        gridDimY: grid_y,
        gridDimZ: 1,
        blockDimX: block[0],
        blockDimY: block[1],
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: null_mut(),
        attrs: &mut attribute,
        numAttrs: u32::from(cluster != 0),
    };
    // SAFETY: valid arrays; the parameter buffer has the kernel's layout.
    unsafe {
        ok(
            "hipDrvLaunchKernelEx",
            hipDrvLaunchKernelEx(&config, function, null_mut(), extra.as_mut_ptr()),
        )?;
        ok("hipDeviceSynchronize", hipDeviceSynchronize())?;
    }
    for (index, (buffer, &pointer)) in case.buffers.iter().zip(&params).enumerate() {
        let mut bytes = vec![0u8; buffer.bytes().len()];
        // SAFETY: valid pointers and lengths.
        unsafe {
            ok(
                "hipMemcpyDtoH",
                hipMemcpyDtoH(bytes.as_mut_ptr().cast(), pointer as *mut c_void, bytes.len()),
            )?
        };
        if buffer.output {
            check(buffer, &bytes).map_err(|e| format!("buffer {index}, {e}"))?;
        }
        // SAFETY: a pointer of hipMalloc.
        unsafe { ok("hipFree", hipFree(pointer as *mut c_void))? };
    }
    if let Some(memory) = memory {
        // SAFETY: a pointer of hipMalloc.
        unsafe { ok("hipFree", hipFree(memory))? };
    }
    // SAFETY: registered above.
    ok("hipHostUnregister", unsafe { hipHostUnregister(services_pointer) })?;
    // SAFETY: the module is loaded, and nothing of it runs.
    ok("hipModuleUnload", unsafe { hipModuleUnload(module) })
}

/// Memory for the windows and barriers of a launch in clusters, of which the parameters are told.
fn windows(case: &Case, info: &KernelInfo, params: &mut Vec<u64>) -> Result<*mut c_void, String> {
    let window_shift = ClusterLaunch::window_shift(info.static_shared, 0);
    let barriers = vec![0u8; (8 * case.grid / case.cluster) as usize];
    let windows = barriers.len().next_multiple_of(SMALLEST_WINDOW as usize);
    let bytes = windows + ((case.grid as usize) << window_shift) + SMALLEST_WINDOW as usize;
    let mut memory = null_mut();
    // SAFETY: valid pointers and lengths.
    let start = unsafe {
        ok("hipMalloc", hipMalloc(&mut memory, bytes))?;
        let start = (memory as u64).next_multiple_of(SMALLEST_WINDOW.into());
        let to = start as *mut c_void;
        ok("hipMemcpyHtoD", hipMemcpyHtoD(to, barriers.as_ptr().cast(), barriers.len()))?;
        start
    };
    let record = ClusterLaunch {
        windows: start + windows as u64,
        barriers: start,
        grid: [case.grid, 1, 1],
        cluster: [case.cluster, 1, 1],
        first: 0,
        window_shift,
        dynamic_shared: 0,
    };
    let before = params.len();
    params.resize(before + BYTES as usize / 8, 0);
    // SAFETY: there is room for it.
    unsafe { params[before..].as_mut_ptr().cast::<ClusterLaunch>().write(record) };
    Ok(memory)
}

/// The services of the host that AMD GPUs ask for: no room for records, and a heap of nothing but its header behind the
/// block.
fn services_block() -> Vec<u64> {
    use amd_abi::services::{HEAP_HEADER, RING_OFFSET, Services};
    let mut memory = vec![0; (RING_OFFSET + HEAP_HEADER) / 8];
    let heap = memory[RING_OFFSET / 8..].as_ptr() as u64;
    let services = Services {
        error: 0,
        reserved: 0,
        ring_bytes: 0,
        ring_written: 0,
        ring_read: 0,
        heap,
        heap_bytes: HEAP_HEADER as u64,
    };
    // SAFETY: there is room for it, and words are aligned as it is.
    unsafe { memory.as_mut_ptr().cast::<Services>().write(services) };
    memory
}

fn check(buffer: &Values, bytes: &[u8]) -> Result<(), String> {
    let width = buffer.width();
    for (index, (&expected, found)) in buffer.words.iter().zip(bytes.chunks(width)).enumerate() {
        let mut word = [0; 8];
        word[..width].copy_from_slice(found);
        let found = u64::from_le_bytes(word);
        let mask = u64::MAX >> (64 - 8 * width as u32);
        let both_nan = buffer.is_nan(expected & mask) && buffer.is_nan(found);
        if found != expected & mask && !both_nan {
            return Err(format!(
                "element {index}: expected {:#x}, found {found:#x}",
                expected & mask
            ));
        }
    }
    Ok(())
}
