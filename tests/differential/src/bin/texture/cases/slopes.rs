//! Levels from slopes: special slopes, long sides, layers and cubes.

use super::*;

pub fn slopes(all: &mut Vec<Case>) {
    const LAYERED: u32 = CUDA_ARRAY3D_LAYERED;
    const CUBE: u32 = CUDA_ARRAY3D_CUBEMAP;
    let planes = "{%f4, %f5}, {%f6, %f7}";
    let spaces = "{%f4, %f5, %f6, %f6}, {%f7, %f8, %f9, %f9}";
    let shapes: [(&str, [usize; 3], u32, &str, &str); 9] = [
        ("1d", [3001, 0, 0], 0, "{%f0}", "{%f4}, {%f6}"),
        ("1d", [5, 0, 0], 0, "{%f0}", "{%f4}, {%f6}"),
        ("2d", [1537, 33, 0], 0, "{%f0, %f1}", planes),
        ("2d", [7, 100, 0], 0, "{%f0, %f1}", planes),
        ("3d", [37, 12, 65], 0, "{%f0, %f1, %f2, %f2}", spaces),
        ("a1d", [100, 0, 3], LAYERED, "{%r3, %f0}", "{%f4}, {%f6}"),
        ("a2d", [50, 70, 3], LAYERED, "{%r3, %f0, %f1, %f1}", planes),
        ("cube", [32, 32, 6], CUBE, "{%f0, %f1, %f2, %f2}", spaces),
        ("acube", [32, 32, 12], CUBE | LAYERED, "{%r3, %f0, %f1, %f2}", spaces),
    ];
    let special = [
        0.0,
        -0.0,
        1e-40,
        1e-38,
        1e-30,
        -1e-10,
        1.0,
        -1.0,
        0.5,
        1e10,
        -1e30,
        3e38,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    for (geometry, size, flags, vector, slopes) in shapes {
        for (kind, between) in [("special", true), ("random", true), ("random", false)] {
            let longest = size[0].max(size[1]).max(if flags == 0 { size[2] } else { 0 });
            let resource = Resource {
                store: Store::Mipmapped(longest.ilog2() + 1),
                flags,
                ..array(size, format("f32"), 1, Fill::Levels)
            };
            let mut random = Random(size[0] as u64);
            let operands = (0..600)
                .map(|thread| {
                    let mut words = [0; INPUTS];
                    for word in &mut words[..3] {
                        *word = (random.unit() * 2.0 - 1.0).to_bits();
                    }
                    words[3] = thread % 3;
                    for word in &mut words[4..10] {
                        let value = if kind == "special" {
                            random.pick(&special)
                        } else {
                            (random.unit() * 2.0 - 1.0) * (random.unit() * 12.0 - 10.0).exp2()
                        };
                        *word = value.to_bits();
                    }
                    words
                })
                .collect();
            let mut sampler = sampler(0, false, NORMALIZED);
            sampler.mipmapFilterMode = CUfilter_mode(between.into());
            sampler.maxMipmapLevelClamp = 20.0;
            let instruction =
                format!("tex.grad.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}], {slopes};");
            let name = format!("{geometry}_{}_{kind}_{between}", size[0]);
            all.push(texture("slopes", name, resource, sampler, &instruction, operands));
        }
    }
}
