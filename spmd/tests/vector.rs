//! Vector kernels, run and compared with the same computation in Rust.

mod support;

use support::{address, compile};

#[test]
fn saxpy() {
    for row_warps in [true, false] {
        let kernel = compile("saxpy", include_str!("kernels/saxpy.ll"), row_warps);
        for (n, grid, block) in [(1000, 8, 128), (77, 1, 100), (5, 2, 32), (4096, 40, 96)] {
            let mut x: Vec<f32> = (0..5000).map(|i| i as f32 * 0.5).collect();
            let mut y: Vec<f32> = (0..5000).map(|i| 3.0 - i as f32).collect();
            let expected: Vec<f32> = (0..5000)
                .map(|i| {
                    if i < n.min(grid * block) {
                        2.5f32.mul_add(x[i as usize], y[i as usize])
                    } else {
                        y[i as usize]
                    }
                })
                .collect();
            let params = [address(&mut x), address(&mut y), n as u64, u64::from(2.5f32.to_bits())];
            kernel.launch([grid as u32, 1, 1], [block as u32, 1, 1], &params);
            assert_eq!(y, expected);
        }
    }
}
