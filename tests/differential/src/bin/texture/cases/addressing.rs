//! Address modes, filters and coordinates.

use super::*;

/// Address modes, filters and coordinates of all geometries without levels.
pub fn addressing(all: &mut Vec<Case>) {
    let sizes: [(&str, [usize; 3]); 3] = [("1d", [6, 0, 0]), ("2d", [6, 5, 0]), ("3d", [6, 5, 3])];
    for (geometry, size) in sizes {
        let (instruction, axes) = lookup(geometry);
        for (mode, address) in ADDRESS_MODES {
            for linear in [false, true] {
                for normalized in [false, true] {
                    let flags = if normalized { NORMALIZED } else { 0 };
                    let resource = array(size, format("f32"), 1, Fill::Noise);
                    let name = format!(
                        "{geometry}_{mode}_{}_{}",
                        if linear { "linear" } else { "point" },
                        if normalized { "normalized" } else { "texels" }
                    );
                    let count = if axes == 1 { 150 } else { 400 };
                    let operands = coordinates(&size[..axes], normalized, count);
                    let sampler = sampler(address, linear, flags);
                    all.push(texture(
                        "addressing",
                        name,
                        resource,
                        sampler,
                        &instruction,
                        operands,
                    ));
                }
            }
        }
    }
    // Memory instead of arrays.
    for (name, store, size) in
        [("linear", Store::Linear, [300, 0, 0]), ("pitch", Store::Pitch, [6, 5, 0])]
    {
        let resource = Resource { store, ..array(size, format("f32"), 1, Fill::Noise) };
        if store == Store::Linear {
            let operands = (0..400_i32)
                .map(|thread| {
                    let mut words = [0; INPUTS];
                    words[0] = match thread {
                        0 => i32::MIN,
                        1 => i32::MAX,
                        _ => thread - 50,
                    } as u32;
                    words
                })
                .collect();
            let instruction = format!("tex.1d.v4.f32.s32 {OUT}, [%rd3, {{%r0}}];");
            all.push(texture(
                "addressing",
                name.to_owned(),
                resource,
                sampler(1, false, 0),
                &instruction,
                operands,
            ));
        } else {
            for (mode, address) in ADDRESS_MODES {
                for linear in [false, true] {
                    let name = format!("{name}_{mode}_{linear}");
                    let operands = coordinates(&size[..2], true, 300);
                    let sampler = sampler(address, linear, NORMALIZED);
                    all.push(texture(
                        "addressing",
                        name,
                        resource,
                        sampler,
                        &lookup("2d").0,
                        operands,
                    ));
                }
            }
        }
    }
    // Whole coordinates.
    for (geometry, size, vector) in [
        ("1d", [6, 0, 0], "{%r0}"),
        ("2d", [6, 5, 0], "{%r0, %r1}"),
        ("3d", [6, 5, 3], "{%r0, %r1, %r2, %r2}"),
    ] {
        for (mode, address) in ADDRESS_MODES {
            let mut random = Random(9);
            let operands = (0..200)
                .map(|thread| {
                    std::array::from_fn(|_| match (thread, random.word()) {
                        (..8, word) => word,
                        (_, word) => word % 24 - (word % 24).min(8),
                    })
                })
                .collect();
            let resource = array(size, format("f32"), 1, Fill::Noise);
            let instruction = format!("tex.{geometry}.v4.f32.s32 {OUT}, [%rd3, {vector}];");
            let name = format!("{geometry}_{mode}_whole");
            all.push(texture(
                "addressing",
                name,
                resource,
                sampler(address, false, 0),
                &instruction,
                operands,
            ));
        }
    }
}
