//! Kernels on the engine: vector and reference code, barriers, shared memory, cooperative launches.

mod common;

use std::ptr::null_mut;

use common::*;
use hip_runtime_sys::*;

#[test]
fn saxpy() {
    let _alone = alone();
    let module = load("vector");
    let n = 10_007;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let y: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
    let (dx, dy) = (Buffer::new(&x), Buffer::new(&y));
    let params = [word(2.0f32), word(dx.0), word(dy.0), word(n)];
    ok(launch(module.function("saxpy"), config((n as u32).div_ceil(96), 96), &params));
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + y).collect();
    assert_eq!(dy.read(), expected);
}

#[test]
fn blocks_have_their_places_and_start_in_order() {
    let _alone = alone();
    let module = load("vector");
    let grid = [7, 5, 3];
    let (out, order, counter) =
        (Buffer::new(&[0u32; 105]), Buffer::new(&[0u32; 105]), Buffer::new(&[0u32]));
    let config = LaunchConfig { grid, block: [32, 1, 1], shared: 0, stream: null_mut() };
    ok(launch(module.function("places"), config, &[word(out.0), word(order.0), word(counter.0)]));
    for (number, place) in out.read().into_iter().enumerate() {
        let (x, y, z) = (number % 7, number / 7 % 5, number / 35);
        assert_eq!(place as usize, x + 100 * y + 10000 * z);
    }
    // Each thread takes blocks in order; how the threads' turns mix is the scheduler's business.
    let mut last_of_threads: Vec<u32> = Vec::new();
    for number in order.read() {
        let before = last_of_threads.iter_mut().filter(|last| **last < number).max();
        match before {
            Some(last) => *last = number,
            None => last_of_threads.push(number),
        }
    }
    let cores = std::thread::available_parallelism().unwrap().get();
    assert!(last_of_threads.len() <= cores, "{} rows of blocks", last_of_threads.len());
}

#[test]
fn barriers_order_shared_memory() {
    let _alone = alone();
    let module = load("vector");
    for threads in [32, 96, 1000, 1024] {
        let data: Vec<u32> = (0..threads * 50).collect();
        let buffer = Buffer::new(&data);
        ok(launch(module.function("reverse"), config(50, threads), &[word(buffer.0)]));
        let expected: Vec<u32> = data
            .chunks(threads as usize)
            .flat_map(|block| block.iter().rev().map(|value| value + 1))
            .collect();
        assert_eq!(buffer.read(), expected, "{threads} threads");
    }
}

#[test]
fn warps_that_have_ended_are_not_waited_for() {
    let _alone = alone();
    let module = load("vector");
    let out = Buffer::new(&[0u32; 32]);
    ok(launch(module.function("leave"), config(1, 1024), &[word(out.0)]));
    // Round i has the warps above i: 31 - i of them.
    let expected: Vec<u32> = (0..32).map(|warp| (0..warp).map(|round| 31 - round).sum()).collect();
    assert_eq!(out.read(), expected);
}

#[test]
fn named_barriers_count_arrive_and_reduce() {
    let _alone = alone();
    let module = load("vector");
    let out = Buffer::new(&[99u32; 20]);
    ok(launch(module.function("named"), config(1, 128), &[word(out.0)]));
    let out = out.read();
    assert_eq!(out[0], 42);
    assert_eq!(out[4..8], [32; 4]);
    assert_eq!(out[8..12], [0; 4]);
    assert_eq!(out[12..16], [1; 4]);
    assert_eq!(out[16..20], [0; 4]);
}

#[test]
fn all_blocks_of_a_cooperative_launch_meet() {
    let _alone = alone();
    let module = load("vector");
    let function = module.function("grid_barrier");
    let (mut per_core, mut cores) = (0, 0);
    // SAFETY: valid pointers.
    unsafe {
        ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&mut per_core, function, 128, 0));
        ok(hipDeviceGetAttribute(
            &mut cores,
            hipDeviceAttribute_t::hipDeviceAttributeMultiprocessorCount,
            0,
        ));
    }
    let blocks = (per_core * cores) as u32;
    assert!(blocks > cores as u32);
    let (counter, sums) = (Buffer::new(&[0u32]), Buffer::new(&[0u32; 20]));
    let params = [word(counter.0), word(sums.0), word(20u32)];
    ok(cooperative(function, config(blocks, 128), &params));
    ok(synchronize());
    assert_eq!(counter.read(), [blocks * 20]);
    assert_eq!(sums.read(), [blocks; 20]);
    let too_many = cooperative(function, config(blocks + 1, 128), &params);
    assert_eq!(too_many, hipError_t::hipErrorCooperativeLaunchTooLarge);
}

/// A GPU holds these grids whole, so that software lets their blocks wait for each other in plain launches, too.
#[test]
fn blocks_that_wait_for_later_ones_let_these_begin() {
    let _alone = alone();
    let cores = std::thread::available_parallelism().unwrap().get() as u32;
    let blocks = 5 * cores + 3;
    let (vector, reference) = (load("vector"), load("threads"));
    for threads in [128, 32] {
        let (counter, sums) = (Buffer::new(&[0u32]), Buffer::new(&[0u32; 20]));
        let params = [word(counter.0), word(sums.0), word(20u32)];
        ok(launch(vector.function("grid_barrier"), config(blocks, threads), &params));
        assert_eq!(sums.read(), [blocks; 20], "{threads} threads");
    }
    let counter = Buffer::new(&[0u32]);
    let function = reference.function("threads_grid_barrier");
    ok(launch(function, config(blocks, 70), &[word(counter.0)]));
    assert_eq!(counter.read(), [blocks * 70]);
}

/// A thousand microseconds at most; others of the block run meanwhile.
#[test]
fn sleeps_last_as_long_as_they_say() {
    let _alone = alone();
    let (vector, reference) = (load("vector"), load("threads"));
    for (asked, least) in [(200_000u32, 200_000u64), (3_000_000, 1_000_000)] {
        for threads in [32, 64, 256] {
            let (out, others) = (Buffer::new(&[0u64]), Buffer::new(&[0u32]));
            let params = [word(out.0), word(others.0), word(asked)];
            ok(launch(vector.function("sleeps"), config(1, threads), &params));
            let slept = out.read()[0];
            // Others may have the processor for some time.
            assert!(slept >= least && slept < least + 1_000_000_000, "{threads}: {slept} ns");
            assert_eq!(others.read(), [1000 + threads / 32 - 1], "{threads} threads");
        }
        let out = Buffer::new(&[0u64; 40]);
        let params = [word(out.0), word(asked)];
        ok(launch(reference.function("threads_sleep"), config(1, 40), &params));
        assert!(out.read().iter().all(|slept| *slept >= least));
    }
}

/// Else they would sleep one after the other: 500 of them for half a second on one processor.
#[test]
fn sleeps_do_not_hold_up_other_blocks() {
    let _alone = alone();
    let module = load("vector");
    let blocks = 100 * std::thread::available_parallelism().unwrap().get();
    let (out, others) = (Buffer::new(&vec![0u64; blocks]), Buffer::new(&vec![0u32; blocks]));
    let params = [word(out.0), word(others.0), word(1_000_000u32)];
    ok(launch(module.function("sleeps"), config(blocks as u32, 64), &params));
    let mut slept = out.read();
    slept.sort_unstable();
    assert!(slept[blocks / 2] < 500_000, "{} ns", slept[blocks / 2]);
    assert_eq!(others.read(), vec![1001; blocks]);
}

#[test]
fn shared_memory_lies_low_and_is_all_there() {
    let _alone = alone();
    let module = load("vector");
    let out = Buffer::new(&[0u32; 3]);
    let function = module.function("shared_sizes");
    let most = (227 << 10) - 1008;
    for shared in [0, 1, 48 << 10, most] {
        ok(launch(function, LaunchConfig { shared, ..config(4, 32) }, &[word(out.0)]));
        assert_eq!(out.read(), [shared, 1008 + shared, 1]);
    }
    let error =
        launch(function, LaunchConfig { shared: most + 16, ..config(4, 32) }, &[word(out.0)]);
    assert_eq!(error, hipError_t::hipErrorInvalidValue);
}

#[test]
fn the_heap_of_kernels_is_bounded() {
    let _alone = alone();
    let module = load("vector");
    let out = Buffer::new(&[0u32; 2]);
    ok(launch(module.function("allocates"), config(1, 1), &[word(out.0)]));
    // Of the 128 that 8 MiB have, one less: each has a header.
    assert_eq!(out.read(), [127, 1]);
    // SAFETY: no pointers.
    ok(unsafe { hipDeviceReset() });
}

#[test]
fn variables_are_found_by_name() {
    let _alone = alone();
    let module = load("vector");
    let (mut address, mut size) = (null_mut(), 0);
    // SAFETY: valid pointers.
    unsafe {
        ok(hipModuleGetGlobal(&mut address, &mut size, module.0, c"variable".as_ptr()));
        assert_eq!(size, 16);
        let mut base = null_mut();
        ok(hipMemGetAddressRange(&mut base, &mut size, address.byte_add(5)));
        assert_eq!((base, size), (address, 16));
        ok(launch(module.function("doubles_variable"), config(1, 32), &[]));
        let mut values = [0u32; 4];
        ok(hipMemcpyDtoH(values.as_mut_ptr().cast(), address, 16));
        assert_eq!(values, [2, 4, 6, 8]);
        let missing = hipModuleGetGlobal(&mut address, &mut size, module.0, c"nothing".as_ptr());
        assert_eq!(missing, hipError_t::hipErrorNotFound);
    }
}

#[test]
fn modules_do_not_share_variables() {
    let _alone = alone();
    let (one, two) = (load("vector"), load("vector"));
    let (mut first, mut second) = (null_mut(), null_mut());
    // SAFETY: valid pointers.
    unsafe {
        ok(hipModuleGetGlobal(&mut first, null_mut(), one.0, c"variable".as_ptr()));
        ok(hipModuleGetGlobal(&mut second, null_mut(), two.0, c"variable".as_ptr()));
    }
    assert_ne!(first, second);
}

#[test]
fn reference_threads_reduce_a_block() {
    let _alone = alone();
    let module = load("threads");
    let data: Vec<u32> = (0..256 * 5).map(|i| i * i).collect();
    let (input, output) = (Buffer::new(&data), Buffer::new(&[0u32; 5]));
    ok(launch(module.function("block_sum"), config(5, 256), &[word(input.0), word(output.0)]));
    let expected: Vec<u32> = data.chunks(256).map(|block| block.iter().sum()).collect();
    assert_eq!(output.read(), expected);
}

#[test]
fn reference_shuffles() {
    let _alone = alone();
    let module = load("threads");
    let out = Buffer::new(&[0u32; 128]);
    ok(launch(module.function("shuffles"), config(1, 32), &[word(out.0)]));
    let out = out.read();
    let inside = |value: u32| (value * 10) | (1 << 31);
    for lane in 0..32u32 {
        let at = |kind: usize| out[lane as usize + 32 * kind];
        assert_eq!(at(0), if lane >= 3 { inside(lane - 3) } else { lane * 10 }, "up, lane {lane}");
        assert_eq!(
            at(1),
            if lane + 5 < 32 { inside(lane + 5) } else { lane * 10 },
            "down, lane {lane}"
        );
        // Segments of 8 lanes.
        assert_eq!(at(2), inside(lane ^ 6), "bfly, lane {lane}");
        // Segments of 4 lanes.
        assert_eq!(at(3), inside(lane / 4 * 4 + 2), "idx, lane {lane}");
    }
}

#[test]
fn reference_warp_operations() {
    let _alone = alone();
    let module = load("threads");
    let out = Buffer::new(&[0u64; 32 * 19]);
    ok(launch(module.function("operations"), config(1, 32), &[word(out.0)]));
    let out = out.read();
    let members = (1u64 << 20) - 1;
    let odd = 0xaaaaa;
    let values: Vec<i32> = (0..20).map(|lane| (lane & 1) + lane - 5).collect();
    let unsigned = || values.iter().map(|value| *value as u32);
    for lane in 0..20u64 {
        let at = |kind: usize| out[lane as usize + 32 * kind];
        let third = (0..20u64)
            .filter(|other| other % 3 == lane % 3)
            .fold(0, |mask, other| mask | 1 << other);
        let yes = 1 << 32 | 1;
        assert_eq!(at(2), yes, "all");
        assert_eq!(at(3), yes, "any");
        assert_eq!(at(4), 0, "uni");
        assert_eq!(at(5), odd, "ballot");
        assert_eq!(at(6), third, "match any 32");
        assert_eq!(at(7), third, "match any 64");
        assert_eq!(at(8), 0, "match all 32");
        assert_eq!(at(9), 1 << 32 | members, "match all 64");
        assert_eq!(at(10) as u32, unsigned().fold(0, u32::wrapping_add), "add");
        assert_eq!(at(11) as i32, *values.iter().min().unwrap(), "min.s");
        assert_eq!(at(12) as i32, *values.iter().max().unwrap(), "max.s");
        assert_eq!(at(13) as u32, unsigned().min().unwrap(), "min.u");
        assert_eq!(at(14) as u32, unsigned().max().unwrap(), "max.u");
        assert_eq!(at(15) as u32, unsigned().reduce(|a, b| a & b).unwrap(), "and");
        assert_eq!(at(16) as u32, unsigned().reduce(|a, b| a | b).unwrap(), "or");
        assert_eq!(at(17) as u32, unsigned().reduce(|a, b| a ^ b).unwrap(), "xor");
        assert_eq!(at(18), u64::from(lane == 0) << 32, "elect");
    }
}

#[test]
fn reference_threads_meet_in_the_groups_that_they_name() {
    let _alone = alone();
    let module = load("threads");
    let out = Buffer::new(&[0u32; 96]);
    ok(launch(module.function("apart"), config(1, 32), &[word(out.0)]));
    let out = out.read();
    for lane in 0..32 {
        let half = if lane < 12 { 0x00000fff } else { 0xfffff000 };
        assert_eq!(out[lane], half, "active, lane {lane}");
        assert_eq!(out[lane + 32], 0x11111111 & half, "ballot, lane {lane}");
        assert_eq!(out[lane + 64], 32);
    }
}

#[test]
fn reference_threads_make_progress_by_themselves() {
    let _alone = alone();
    let module = load("threads");
    let (mutex, count) = (Buffer::new(&[0u32]), Buffer::new(&[0u32]));
    ok(launch(module.function("lock"), config(4, 200), &[word(mutex.0), word(count.0)]));
    assert_eq!(count.read(), [800]);
}

#[test]
fn reference_barriers_in_branches() {
    let _alone = alone();
    let module = load("threads");
    let out = Buffer::new(&[0u32; 128]);
    ok(launch(module.function("divergent_barrier"), config(1, 70), &[word(out.0)]));
    let out = out.read();
    for thread in 0..50 {
        assert_eq!(out[thread], 49 - thread as u32);
        assert_eq!(out[64 + thread], 10);
    }
}

#[test]
fn reference_blocks_of_a_cooperative_launch_meet() {
    let _alone = alone();
    let module = load("threads");
    let counter = Buffer::new(&[0u32]);
    let blocks = std::thread::available_parallelism().unwrap().get() as u32 * 2;
    ok(cooperative(
        module.function("threads_grid_barrier"),
        config(blocks, 70),
        &[word(counter.0)],
    ));
    assert_eq!(counter.read(), [blocks * 70]);
}

#[test]
fn float_state_belongs_to_each_warp_and_to_the_program() {
    let _alone = alone();
    let module = load("vector");
    let out = Buffer::new(&[0u32; 8]);
    let state = |new: Option<u32>| {
        let mut state = 0u32;
        // SAFETY: reads, and sets, the register.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut state);
            if let Some(new) = new {
                std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const new);
            }
        }
        state
    };
    // The program flushes denormals, and so does its thread that takes part.
    let before = state(Some(0x9fc0));
    for _ in 0..100 {
        ok(launch(module.function("float_state"), config(1, 256), &[word(out.0)]));
        ok(synchronize());
        assert_eq!(state(None) & !0x3f, 0x9fc0);
    }
    state(Some(before));
    assert_eq!(out.read(), [1; 8]);
}
