//! Textures that show some levels or layers of a resource, or its bytes in another format.

use differential::view::view;

use super::*;

pub fn views(all: &mut Vec<Case>) {
    let mut add = |name: String, resource, sampler, instruction: &str, operands, view| {
        let case = texture("views", name, resource, sampler, instruction, operands);
        all.push(Case { view: Some(view), ..case });
    };
    // Of each texel the same bytes.
    for (name, channels, formats) in [
        ("u8", 1, &[1, 4][..]),
        ("u8", 2, &[2, 5]),
        ("u16", 1, &[7, 10, 19]),
        ("u8", 4, &[3, 6]),
        ("u16", 2, &[8, 11, 20]),
        ("u32", 1, &[13, 16, 22]),
        ("s32", 1, &[13, 22]),
        ("u16", 4, &[9, 12, 21]),
        ("u32", 2, &[14, 17, 23]),
        ("u32", 4, &[15, 18, 24]),
    ] {
        for &code in formats {
            for linear in [false, true] {
                let resource = array([8, 8, 0], format(name), channels, Fill::Noise);
                let sampler = sampler(1, linear, NORMALIZED);
                add(
                    format!("{name}x{channels}_as_{code}_{linear}"),
                    resource,
                    sampler,
                    &lookup("2d").0,
                    coordinates(&[8, 8], true, 80),
                    view(code, [8, 8, 0], [0; 2], [0; 2]),
                );
            }
        }
    }
    // Blocks of texels in words.
    for code in 25..35 {
        let channels = if matches!(code, 25 | 28 | 29) { 2 } else { 4 };
        let resource = array([4, 4, 0], format("u32"), channels, Fill::Noise);
        for linear in [false, true] {
            add(
                format!("blocks_{code}_{linear}"),
                resource,
                sampler(1, linear, NORMALIZED),
                &lookup("2d").0,
                coordinates(&[16, 16], true, 200),
                view(code, [16, 16, 0], [0; 2], [0; 2]),
            );
        }
    }
    // Levels and layers.
    let layered = Resource {
        store: Store::Mipmapped(5),
        flags: CUDA_ARRAY3D_LAYERED,
        ..array([32, 16, 4], format("f32"), 1, Fill::Noise)
    };
    let mut between = sampler(1, true, NORMALIZED);
    between.mipmapFilterMode = CUfilter_mode(1);
    between.maxMipmapLevelClamp = 10.0;
    for (levels, layers) in
        [([0, 4], [0, 3]), ([1, 3], [0, 3]), ([2, 2], [1, 2]), ([0, 4], [3, 3]), ([4, 4], [0, 0])]
    {
        let mut random = Random(71);
        let operands = (0..120)
            .map(|thread| {
                let mut words = [0; INPUTS];
                for word in &mut words[1..3] {
                    *word = random.unit().to_bits();
                }
                words[0] = [0, 1, 2, 3, 9][thread % 5];
                words[4] = (random.unit() * 6.0 - 1.0).to_bits();
                words
            })
            .collect();
        add(
            format!("levels_{levels:?}_{layers:?}").replace([' ', '[', ']'], "").replace(',', "_"),
            layered,
            between,
            &format!("tex.level.a2d.v4.f32.f32 {OUT}, [%rd3, {{%r0, %f1, %f2, %f2}}], %f4;"),
            operands,
            view(22, [32, 16, 4], levels, layers),
        );
    }
}
