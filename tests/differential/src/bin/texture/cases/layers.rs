//! Layers, and cubes with layers.

use super::*;

/// Layers, and cubes with layers.
pub fn layers(all: &mut Vec<Case>) {
    let layer_words = |words: &mut Vec<[u32; INPUTS]>, shift: bool| {
        for (thread, words) in words.iter_mut().enumerate() {
            if shift {
                words.copy_within(0..4, 1);
            }
            let layer = [0, 1, 2, 3, 4, 5, 100, u32::MAX, 0x8000_0000, 65536][thread % 10];
            words[if shift { 0 } else { 4 }] = layer;
        }
    };
    for linear in [false, true] {
        for (mode, address) in ADDRESS_MODES {
            for (geometry, size, vector, axes) in
                [("a1d", [6, 0, 4], "{%r0, %f1}", 1), ("a2d", [6, 5, 4], "{%r0, %f1, %f2, %f2}", 2)]
            {
                let resource = Resource {
                    flags: CUDA_ARRAY3D_LAYERED,
                    ..array(size, format("f32"), 1, Fill::Noise)
                };
                let mut operands = coordinates(&size[..axes], true, 200);
                layer_words(&mut operands, true);
                let instruction = format!("tex.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}];");
                let name = format!("{geometry}_{mode}_{linear}");
                all.push(texture(
                    "layers",
                    name,
                    resource,
                    sampler(address, linear, NORMALIZED),
                    &instruction,
                    operands,
                ));
            }
        }
    }
}

/// Directions for cubes: axes, edges, corners, ties and noise.
pub fn directions(count: usize) -> Vec<[u32; INPUTS]> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        0.99,
        -0.99,
        1e-30,
        1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let mut random = Random(3);
    (0..count)
        .map(|thread| {
            let mut words = [0; INPUTS];
            for word in &mut words[..3] {
                let value = match thread % 3 {
                    0 => random.pick(&special),
                    _ => random.unit() * 2.0 - 1.0,
                };
                *word = value.to_bits();
            }
            words
        })
        .collect()
}

pub fn cubes(all: &mut Vec<Case>) {
    for linear in [false, true] {
        for seamless in [false, true] {
            for (geometry, flags, depth, vector) in [
                ("cube", CUDA_ARRAY3D_CUBEMAP, 6, "{%f0, %f1, %f2, %f2}"),
                ("acube", CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, 18, "{%r0, %f1, %f2, %f3}"),
            ] {
                let resource =
                    Resource { flags, ..array([5, 5, depth], format("f32"), 1, Fill::Noise) };
                let mut operands = directions(900);
                if geometry == "acube" {
                    for (thread, words) in operands.iter_mut().enumerate() {
                        words.copy_within(0..4, 1);
                        words[0] = [0, 1, 2, 3, 7, u32::MAX, 0x8000_0000][thread % 7];
                    }
                }
                let more = if seamless { CU_TRSF_SEAMLESS_CUBEMAP } else { 0 };
                let instruction = format!("tex.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}];");
                let name = format!("{geometry}_{linear}_{seamless}");
                all.push(texture(
                    "cubes",
                    name,
                    resource,
                    sampler(1, linear, NORMALIZED | more),
                    &instruction,
                    operands,
                ));
            }
        }
    }
}

/// Levels of layers and cubes.
pub fn levels(all: &mut Vec<Case>) {
    const LAYERED: u32 = CUDA_ARRAY3D_LAYERED;
    const CUBE: u32 = CUDA_ARRAY3D_CUBEMAP;
    for (geometry, size, flags, vector) in [
        ("a1d", [32, 0, 3], LAYERED, "{%r0, %f1}"),
        ("a2d", [32, 16, 3], LAYERED, "{%r0, %f1, %f2, %f2}"),
        ("cube", [16, 16, 6], CUBE, "{%f1, %f2, %f3, %f3}"),
        ("acube", [16, 16, 12], CUBE | LAYERED, "{%r0, %f1, %f2, %f3}"),
    ] {
        for linear in [false, true] {
            for seamless in [false, true] {
                let cube = geometry.contains("cube");
                if seamless && !cube {
                    continue;
                }
                let resource = Resource {
                    store: Store::Mipmapped(4),
                    flags,
                    ..array(size, format("f32"), 1, Fill::Noise)
                };
                let mut operands = if cube {
                    directions(400)
                } else {
                    coordinates(&size[..geometry.len() - 1], true, 400)
                };
                let mut random = Random(61);
                for (thread, words) in operands.iter_mut().enumerate() {
                    words.copy_within(0..3, 1);
                    words[0] = [0, 1, 2, 3, u32::MAX][thread % 5];
                    words[4] = (random.unit() * 5.0 - 1.0).to_bits();
                }
                let more = if seamless { CU_TRSF_SEAMLESS_CUBEMAP } else { 0 };
                let mut sampler = sampler(1, linear, NORMALIZED | more);
                sampler.mipmapFilterMode = CUfilter_mode(1);
                sampler.maxMipmapLevelClamp = 10.0;
                let instruction =
                    format!("tex.level.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}], %f4;");
                let name = format!("{geometry}_{linear}_{seamless}");
                all.push(texture("level_shapes", name, resource, sampler, &instruction, operands));
            }
        }
    }
}
