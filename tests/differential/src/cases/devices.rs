//! Two devices: what each is, access between them, and which of them a program sees.
//!
//! A recording of these needs a machine with two GPUs.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use super::fork::in_child;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

/// Both devices' primary contexts; that of the first is current.
pub fn contexts(api: &Api) -> [CUcontext; 2] {
    must(api.cuInit(0));
    let contexts = [0, 1].map(|device| {
        let mut context = null_mut();
        must(api.cuDevicePrimaryCtxRetain(&mut context, device));
        context
    });
    must(api.cuCtxSetCurrent(contexts[0]));
    contexts
}

/// Does something in a context, and makes the one current again that was.
pub fn within<T>(api: &Api, context: CUcontext, body: impl FnOnce() -> T) -> T {
    must(api.cuCtxPushCurrent_v2(context));
    let result = body();
    let mut popped = null_mut();
    must(api.cuCtxPopCurrent_v2(&mut popped));
    result
}

/// A new context on a device, which is not current.
pub fn create(api: &Api, device: CUdevice) -> CUcontext {
    let (mut context, mut popped) = (null_mut(), null_mut());
    must(api.cuCtxCreate_v2(&mut context, 0, device));
    must(api.cuCtxPopCurrent_v2(&mut popped));
    context
}

fn uuid(api: &Api, device: CUdevice) -> [u8; 16] {
    let mut uuid: CUuuid = zeroed();
    must(api.cuDeviceGetUuid_v2(&mut uuid, device));
    uuid.bytes.map(|byte| byte as u8)
}

/// A UUID as `nvidia-smi` writes it, without `GPU-`.
fn text(uuid: [u8; 16]) -> String {
    let hex: Vec<String> = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..4], &hex[4..6], &hex[6..8], &hex[8..10], &hex[10..]].map(|part| part.concat()).join("-")
}

/// The UUIDs of both devices, asked in another process: this one has not begun.
fn uuids(api: &Api) -> [[u8; 16]; 2] {
    let answers = in_child(|| {
        must(api.cuInit(0));
        [0, 1].iter().flat_map(|device| uuid(api, *device)).map(i64::from).collect()
    });
    let byte = |at: usize| answers[at] as u8;
    [std::array::from_fn(byte), std::array::from_fn(|at| byte(16 + at))]
}

/// What a process sees with a value of `CUDA_VISIBLE_DEVICES`: the result of the beginning, the number of devices, and
/// which each is.
fn visible(api: &Api, value: &str, known: &[[u8; 16]; 2]) -> Answers {
    let mut answers = in_child(|| {
        // SAFETY: the child has one thread.
        unsafe { std::env::set_var("CUDA_VISIBLE_DEVICES", value) };
        let mut count = -1;
        let mut answers = vec![api.cuInit(0), api.cuDeviceGetCount(&mut count), count.into()];
        for device in 0..count.clamp(0, 4) {
            let own = uuid(api, device);
            let which = known.iter().position(|known| *known == own);
            answers.push(which.map_or(-1, |which| which as i64));
        }
        answers
    });
    // How the child ended.
    answers.pop();
    answers
}

fn p2p(api: &Api, attribute: u32, from: CUdevice, to: CUdevice) -> [i64; 2] {
    let mut value = -7;
    [
        api.cuDeviceGetP2PAttribute(&mut value, CUdevice_P2PAttribute(attribute), from, to),
        value.into(),
    ]
}

fn can_access(api: &Api, device: CUdevice, peer: CUdevice) -> [i64; 2] {
    let mut can = -7;
    [api.cuDeviceCanAccessPeer(&mut can, device, peer), can.into()]
}

pub const CASES: &[Case] = &[
    ("devices/identity", |api| {
        must(api.cuInit(0));
        let mut answers = Vec::new();
        for ordinal in [0, 1] {
            let (mut device, mut same) = (-1, -1);
            let mut id = [0_u8; 32];
            answers.extend([api.cuDeviceGet(&mut device, ordinal), device.into()]);
            answers.push(api.cuDeviceGetPCIBusId(id.as_mut_ptr().cast(), 32, ordinal));
            answers.push(api.cuDeviceGetByPCIBusId(&mut same, id.as_ptr().cast()));
            answers.push(same.into());
        }
        let (mut names, mut memory) = ([[0_u8; 128]; 2], [0; 2]);
        for device in [0, 1] {
            must(api.cuDeviceGetName(names[device].as_mut_ptr().cast(), 128, device as i32));
            must(api.cuDeviceTotalMem_v2(&mut memory[device], device as i32));
        }
        answers.push((uuid(api, 0) != uuid(api, 1)).into());
        answers.push((names[0] == names[1]).into());
        answers.push((memory[0] == memory[1]).into());
        answers
    }),
    ("devices/can_access", |api| {
        must(api.cuInit(0));
        let mut answers = Vec::new();
        for (device, peer) in [(0, 1), (1, 0), (0, 0), (1, 1), (0, 2), (-1, 0)] {
            answers.extend(can_access(api, device, peer));
        }
        for attribute in 0..8 {
            answers.extend(p2p(api, attribute, 0, 1));
            answers.extend(p2p(api, attribute, 1, 0));
        }
        for (from, to) in [(0, 0), (0, 2), (-1, 1)] {
            answers.extend(p2p(api, 2, from, to));
        }
        answers
    }),
    ("devices/enable", |api| {
        let [a, b] = contexts(api);
        let mut answers = vec![
            api.cuCtxDisablePeerAccess(b),
            api.cuCtxEnablePeerAccess(b, 1),
            api.cuCtxEnablePeerAccess(a, 0),
            api.cuCtxEnablePeerAccess(null_mut(), 0),
            api.cuCtxEnablePeerAccess(b, 0),
            api.cuCtxEnablePeerAccess(b, 0),
            api.cuCtxEnablePeerAccess(b, 1),
            api.cuCtxDisablePeerAccess(a),
            api.cuCtxDisablePeerAccess(null_mut()),
        ];
        // Nothing was said of the other direction.
        answers.push(within(api, b, || api.cuCtxDisablePeerAccess(a)));
        answers.push(within(api, b, || api.cuCtxEnablePeerAccess(a, 0)));
        answers.push(api.cuCtxDisablePeerAccess(b));
        answers.push(api.cuCtxDisablePeerAccess(b));
        answers.push(within(api, b, || api.cuCtxDisablePeerAccess(a)));
        must(api.cuCtxSetCurrent(null_mut()));
        answers.extend([api.cuCtxEnablePeerAccess(b, 0), api.cuCtxDisablePeerAccess(b)]);
        answers
    }),
    ("devices/enable_others", |api| {
        let [a, b] = contexts(api);
        let (same, other) = (create(api, 0), create(api, 1));
        let mut answers = vec![
            api.cuCtxEnablePeerAccess(same, 0),
            api.cuCtxEnablePeerAccess(other, 0),
            api.cuCtxEnablePeerAccess(other, 0),
            // Of another context of the same device.
            api.cuCtxEnablePeerAccess(b, 0),
            api.cuCtxDisablePeerAccess(other),
            api.cuCtxDisablePeerAccess(other),
            api.cuCtxDisablePeerAccess(b),
            api.cuCtxEnablePeerAccess(other, 0),
        ];
        answers.push(within(api, same, || api.cuCtxEnablePeerAccess(other, 0)));
        answers.push(within(api, same, || api.cuCtxDisablePeerAccess(b)));
        must(api.cuCtxDestroy_v2(other));
        answers.extend([a, b].map(|context| api.cuCtxDisablePeerAccess(context)));
        answers
    }),
    ("devices/enable_after_reset", |api| {
        let [a, b] = contexts(api);
        let mut answers = vec![api.cuCtxEnablePeerAccess(b, 0), api.cuDevicePrimaryCtxReset_v2(1)];
        let mut again = null_mut();
        must(api.cuDevicePrimaryCtxRetain(&mut again, 1));
        answers.push((again == b) as i64);
        answers.extend([api.cuCtxEnablePeerAccess(b, 0), api.cuDevicePrimaryCtxReset_v2(0)]);
        must(api.cuDevicePrimaryCtxRetain(&mut again, 0));
        must(api.cuCtxSetCurrent(a));
        answers.extend([api.cuCtxDisablePeerAccess(b), api.cuCtxEnablePeerAccess(b, 0)]);
        answers
    }),
    ("devices/primaries", |api| {
        let [a, b] = contexts(api);
        let memory = [a, b].map(|context| within(api, context, || allocate(api, 64)));
        let state = |device| {
            let (mut flags, mut active) = (7, 7);
            must(api.cuDevicePrimaryCtxGetState(device, &mut flags, &mut active));
            i64::from(active)
        };
        let mut device = -1;
        let mut answers = vec![(a == b) as i64, state(0), state(1)];
        answers.extend([within(api, b, || api.cuCtxGetDevice(&mut device)), device.into()]);
        answers.extend([api.cuCtxGetDevice_v2(&mut device, b), device.into()]);
        answers.extend([api.cuDevicePrimaryCtxReset_v2(1), state(0), state(1)]);
        answers.extend([
            api.cuMemsetD8_v2(memory[0], 1, 64),
            api.cuMemsetD8_v2(memory[1], 1, 64),
            api.cuCtxSynchronize(),
            api.cuDevicePrimaryCtxRelease_v2(1),
            api.cuDevicePrimaryCtxRelease_v2(0),
            state(0),
            api.cuDevicePrimaryCtxRelease_v2(2),
        ]);
        answers
    }),
    ("devices/memory_of_each", |api| {
        let [a, b] = contexts(api);
        let free = |context| {
            let (mut free, mut total) = (0, 0);
            within(api, context, || must(api.cuMemGetInfo_v2(&mut free, &mut total)));
            free as i64
        };
        let before = [free(a), free(b)];
        let memory = within(api, b, || allocate(api, 256 << 20));
        let after = [free(a), free(b)];
        // The other device's context is current.
        let freed = api.cuMemFree_v2(memory);
        let end = free(b);
        vec![
            (before[0] == after[0]) as i64,
            (before[1] - after[1]) >> 28,
            freed,
            (end == before[1]) as i64,
        ]
    }),
    ("devices/visible", |api| {
        let known = uuids(api);
        let mut answers = Vec::new();
        for value in [
            "",
            "0",
            "1",
            "0,1",
            "1,0",
            "1,1",
            "0,0",
            "0,1,0",
            "-1",
            "0,-1,1",
            "-1,0",
            "2",
            "0,2,1",
            "2,0",
            "1,x,0",
            "x",
            " 1",
            "1 ",
            "1 ,0",
            "1, 0",
            "+1",
            "01",
            "0x1",
            "1.5",
            "1,",
            ",1",
            ",",
            "1,,0",
            "1;0",
            "1 0",
            "10",
            "1e0",
            "99999999999999999999",
            "all",
            "none",
            "void",
            "NoDevFiles",
            "1:0",
            "1x",
            "-0",
            "\t1",
            "1\n",
        ] {
            answers.extend(visible(api, value, &known));
            answers.push(-100);
        }
        answers
    }),
    ("devices/visible_by_uuid", |api| {
        let known = uuids(api);
        let [first, second] = known.map(text);
        // As many characters as tell them apart, and one less.
        let same = first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
        let short = &second[..same + 1];
        let plain = |uuid: &str| uuid.replace('-', "");
        let mut answers = Vec::new();
        for value in [
            format!("GPU-{first}"),
            format!("GPU-{second}"),
            format!("GPU-{second},GPU-{first}"),
            format!("GPU-{second},GPU-{second}"),
            format!("GPU-{second},0"),
            format!("0,GPU-{second}"),
            format!("0,GPU-{first}"),
            format!("GPU-{short}"),
            format!("GPU-{short},GPU-{first}"),
            format!("GPU-{}", &second[..same]),
            "GPU-".to_owned(),
            "GPU".to_owned(),
            "G".to_owned(),
            format!("gpu-{second}"),
            format!("GPU-{}", second.to_uppercase()),
            second.clone(),
            format!("GPU-{}", plain(&second)),
            format!("GPU-{}", &second[..12]),
            format!("GPU-{}", plain(&second[..12])),
            format!("GPU-{second}0"),
            format!("GPU-{second} "),
            format!(" GPU-{second}"),
            format!("GPU-{second}, GPU-{first}"),
            format!("GPU-{second} ,GPU-{first}"),
            format!("GPU-{second},GPU-x,GPU-{first}"),
            format!("GPU-{second},x,GPU-{first}"),
            format!("GPU-x,GPU-{second}"),
            format!("MIG-{second}"),
            format!("MIG-GPU-{second}/0/0"),
            format!("GPU-{second},-1"),
            format!("GPU-{second},GPU-{first},GPU-{short}"),
        ] {
            answers.extend(visible(api, &value, &known));
            answers.push(-100);
        }
        answers
    }),
    ("devices/visible_alone", |api| {
        // One of two is seen, as number 0.
        // SAFETY: a case has one thread.
        unsafe { std::env::set_var("CUDA_VISIBLE_DEVICES", "1") };
        let context = context(api);
        let memory = allocate(api, 64);
        let (mut device, mut ordinal) = (-1, -1_i32);
        let mut id = [0_u8; 32];
        let mut answers = vec![api.cuCtxGetDevice_v2(&mut device, context), device.into()];
        answers.push(api.cuDeviceGet(&mut device, 1));
        answers.extend(can_access(api, 0, 1));
        let which = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        answers.push(api.cuPointerGetAttribute((&raw mut ordinal).cast(), which, memory));
        answers.push(ordinal.into());
        answers.push(api.cuDeviceGetPCIBusId(id.as_mut_ptr().cast(), 32, 0));
        answers.push(api.cuDeviceGetByPCIBusId(&mut device, id.as_ptr().cast()));
        answers.push(device.into());
        answers
    }),
];
