//! Vector kernels, run and compared with the same computation in Rust.

mod support;

use spmd::Blocks;
use support::{address, compile, compile_for};

#[test]
fn saxpy() {
    for blocks in [Blocks::Any, Blocks::RowWarps, Blocks::WholeWarps] {
        let kernel = compile_for("saxpy", include_str!("kernels/saxpy.ll"), blocks);
        for (n, grid, block) in [(1000, 8, 128), (77, 1, 100), (5, 2, 32), (4096, 40, 96)] {
            if blocks == Blocks::WholeWarps && block % 32 != 0 {
                continue;
            }
            let mut x: Vec<f32> = (0..5000).map(|i| i as f32 * 0.5).collect();
            let mut y: Vec<f32> = (0..5000).map(|i| 3.0 - i as f32).collect();
            let last = n.min(grid * block) as usize;
            let expected: Vec<f32> = x
                .iter()
                .zip(&y)
                .enumerate()
                .map(|(i, (&x, &y))| if i < last { 2.5f32.mul_add(x, y) } else { y })
                .collect();
            let params = [address(&mut x), address(&mut y), n as u64, u64::from(2.5f32.to_bits())];
            kernel.launch([grid as u32, 1, 1], [block as u32, 1, 1], &params);
            assert_eq!(y, expected);
        }
    }
}

fn collatz(mut x: u32) -> u32 {
    let mut steps = 0;
    while x != 1 {
        x = if x & 1 == 1 { x * 3 + 1 } else { x / 2 };
        steps += 1;
        if steps > 500 {
            return 1000;
        }
    }
    steps
}

fn fibonacci(n: u32) -> u32 {
    if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

fn nested(i: u32) -> u32 {
    let (mut a, mut sum) = (0u32, 0u32);
    while a <= i % 7 {
        let mut b = 0;
        loop {
            sum = sum.wrapping_add(a * b);
            if sum > 40 {
                return sum + 100_000;
            }
            b += 1;
            if b >= i {
                break;
            }
        }
        a += 1;
    }
    sum
}

fn tangled(i: u32) -> u32 {
    let low = i & 3;
    let (mut x, mut n, mut y, mut m) = (i, 0u32, 7u32, 2u32);
    let mut at_one = match low {
        1 => false,
        2 => return 77,
        _ => true,
    };
    loop {
        if at_one {
            x = x.wrapping_add(3);
            n += 1;
            if n > 9 {
                return x;
            }
            (y, m) = (x, n);
        } else {
            y = y.wrapping_mul(5);
            m += low;
            if y > 100_000 {
                return y;
            }
            (x, n) = (y, m);
        }
        at_one = !at_one;
    }
}

#[test]
fn divergent_control_flow() {
    let kernel = compile("control", include_str!("kernels/control.ll"), true);
    for (which, function) in
        [collatz, |i| fibonacci(i % 12), nested, tangled].into_iter().enumerate()
    {
        let mut out = vec![0xdead_u32; 300];
        kernel.launch([4, 1, 1], [70, 1, 1], &[address(&mut out), 270, which as u64]);
        for (i, &value) in out.iter().enumerate() {
            let i = i as u32;
            let expected = match which {
                _ if i >= 270 => 0xdead,
                0 => function(i + 1),
                _ => function(i),
            };
            assert_eq!(value, expected, "kernel {which}, thread {i}");
        }
    }
}

#[test]
fn warp_operations() {
    let kernel = compile("warp", include_str!("kernels/warp.ll"), true);
    let mut values: Vec<i32> = (0..96).map(|i| i * 37 % 101).collect();
    let mut out = vec![-1i32; 96 * 16];
    kernel.launch([1, 1, 1], [96, 1, 1], &[address(&mut values), address(&mut out)]);
    for thread in 0..96usize {
        let row = &out[thread * 16..][..16];
        let (warp, lane) = (thread & !31, thread & 31);
        if lane & 3 == 3 {
            assert_eq!(row, [-1; 16]);
            continue;
        }
        let active: Vec<usize> = (0..32).filter(|lane| lane & 3 != 3).collect();
        let of = |lane: usize| values[warp + lane];
        let bits = |test: &dyn Fn(usize) -> bool| {
            active.iter().filter(|&&l| test(l)).map(|&l| 1u32 << l).sum::<u32>() as i32
        };
        let down = if lane + 4 < 32 { (of(lane + 4), 1) } else { (of(lane), 0) };
        // Segments of eight lanes.
        let up = if lane % 8 >= 4 { (of(lane - 4), 1) } else { (of(lane), 0) };
        let first = *active.first().unwrap();
        let expected = [
            down.0,
            down.1,
            up.0,
            up.1,
            of(lane ^ 8),
            of(thread * 4 % 32),
            of(9),
            bits(&|l| of(l) > 50),
            i32::from(active.iter().any(|&l| of(l) > 50)),
            i32::from(active.iter().all(|&l| of(l) > 50)),
            bits(&|l| of(l) & 7 == of(lane) & 7),
            active.iter().map(|&l| of(l)).sum(),
            active.iter().map(|&l| of(l)).min().unwrap(),
            0x7777_7777,
            first as i32,
            i32::from(lane == first),
        ];
        assert_eq!(row, expected, "thread {thread}");
    }
}

#[test]
fn memory_of_all_kinds() {
    for row_warps in [true, false] {
        let kernel = compile("memory", include_str!("kernels/memory.ll"), row_warps);
        assert_eq!(kernel.descriptor.static_shared_size, 64);
        assert_ne!(kernel.descriptor.flags & cpu_abi::FLAG_RETURNS, 0);
        let mut bytes: Vec<u8> = (0..1000u32).map(|i| (i * i / 7) as u8).collect();
        let before = bytes.clone();
        let mut counts = vec![0u32; 17];
        let mut quads: Vec<i32> = (0..400).map(|i| i * 1_234_567 - 98_765_432).collect();
        let quads_before = quads.clone();
        let params = [address(&mut bytes), address(&mut counts), 1000, address(&mut quads)];
        kernel.launch([1, 1, 1], [77, 1, 1], &params);
        let mut expected = vec![0u32; 17];
        for byte in &before {
            expected[(byte & 15) as usize] += 1;
        }
        expected[16] = *expected.iter().max().unwrap();
        assert_eq!(counts, expected);
        assert!(bytes.iter().zip(&before).all(|(new, old)| *new == old.wrapping_add(1)));
        for thread in 0..77 {
            let old = &quads_before[thread * 4..][..4];
            let y = if thread % 8 == 0 { old[0] } else { 5 };
            let z = (old[2] as u32 % (thread as u32 % 8 + 1)) as i32;
            assert_eq!(quads[thread * 4..][..4], [y, old[2] / -3, z, old[3]], "thread {thread}");
        }
        assert_eq!(quads[77 * 4..], quads_before[77 * 4..]);
    }
}

#[test]
fn blocks_of_several_rows() {
    for blocks in [Blocks::Any, Blocks::HalfWarpRows, Blocks::RowWarps, Blocks::WholeWarps] {
        let kernel = compile_for("rows", include_str!("kernels/rows.ll"), blocks);
        for block in
            [[16, 16, 1], [16, 3, 1], [16, 4, 1], [8, 8, 1], [5, 7, 1], [32, 3, 1], [64, 2, 1]]
        {
            let fits = match blocks {
                Blocks::Any => true,
                Blocks::HalfWarpRows => block[0] == 16 && block[1] % 2 == 0,
                Blocks::RowWarps | Blocks::WholeWarps => block[0] % 32 == 0,
            };
            if !fits {
                continue;
            }
            let (width, height) = (37u32, 21u32);
            let size = (width * height) as usize;
            let mut values: Vec<i32> = (0..size as i32).map(|i| i * 31 % 257).collect();
            let mut out = vec![-1; size];
            let params = [address(&mut values), address(&mut out), width.into(), height.into()];
            let grid = [width.div_ceil(block[0]), height.div_ceil(block[1]), 1];
            kernel.launch(grid, block, &params);
            for i in 0..size {
                let (x, start) = (i % width as usize, i - i % width as usize);
                assert_eq!(out[i], values[i] + values[start] * x as i32, "{block:?}, element {i}");
            }
        }
    }
}

#[test]
fn lanes_of_a_warp_take_turns_with_a_lock() {
    let kernel = compile("lock", include_str!("kernels/lock.ll"), true);
    let mut account = [0i32; 2];
    kernel.launch([2, 1, 1], [80, 1, 1], &[address(&mut account)]);
    assert_eq!(account, [0, 2 * 3 * (0..80).sum::<i32>()]);
}

#[test]
fn blocks_begin_in_any_order_unless_they_may_wait() {
    // {flag, data}: a round of `spin` loads the flag in the given way.
    let spin = |load: &str| {
        format!(
            "define void @spin() #0 {{
              %p = call ptr addrspace(4) @zluda.params()
              %flag = load ptr addrspace(1), ptr addrspace(4) %p
              br label %round
            round:
              {load}
              %set = icmp ne i32 %value, 0
              br i1 %set, label %done, label %round
            done:
              store i32 2, ptr addrspace(1) %flag
              ret void
            }}"
        )
    };
    let any_order = |name: &str, text: &str| {
        compile(name, text, true).descriptor.flags & cpu_abi::FLAG_ANY_ORDER != 0
    };
    assert!(any_order("saxpy", include_str!("kernels/saxpy.ll")));
    // Without anything that makes other blocks' stores visible the loop does not wait.
    assert!(any_order("spin", &spin("%value = load i32, ptr addrspace(1) %flag")));
    assert!(!any_order("lock", include_str!("kernels/lock.ll")));
    for load in [
        "%value = load volatile i32, ptr addrspace(1) %flag",
        "%value = load atomic i32, ptr addrspace(1) %flag acquire, align 4",
        "%value = atomicrmw add ptr addrspace(1) %flag, i32 0 monotonic",
        "fence seq_cst\n%value = load i32, ptr addrspace(1) %flag",
        "call void @zluda.barrier.sync(i32 0, i32 0)\n%value = load i32, ptr addrspace(1) %flag",
    ] {
        assert!(!any_order("spin", &spin(load)), "{load}");
    }
}

#[test]
fn spaces_of_addresses() {
    let kernel = compile("spaces", include_str!("kernels/spaces.ll"), true);
    let mut out = vec![0u32; 64];
    kernel.launch([1, 1, 1], [64, 1, 1], &[address(&mut out)]);
    for (thread, &bits) in out.iter().enumerate() {
        assert_eq!(bits, 8 | 1 << (thread % 3), "thread {thread}");
    }
}
