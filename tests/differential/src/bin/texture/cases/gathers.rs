//! Four texels at once, offsets, and depths.

use super::*;

/// Four texels, offsets, and depths compared.
pub fn gathers(all: &mut Vec<Case>) {
    for (mode, address) in ADDRESS_MODES {
        for component in ["r", "g", "b", "a"] {
            let resource = Resource {
                flags: CUDA_ARRAY3D_TEXTURE_GATHER,
                ..array([6, 5, 0], format("u8"), 4, Fill::Noise)
            };
            for (result, flags) in [("f32", NORMALIZED), ("u32", NORMALIZED | AS_INTEGER)] {
                for (offset, text) in [("plain", ""), ("offset", ", {%r4, %r5}")] {
                    let instruction = format!(
                        "tld4.{component}.2d.v4.{result}.f32 {OUT}, [%rd3, {{%f0, %f1}}]{text};"
                    );
                    let mut operands = coordinates(&[6, 5], true, 200);
                    small_offsets(&mut operands);
                    let name = format!("{component}_{mode}_{result}_{offset}");
                    all.push(texture(
                        "gathers",
                        name,
                        resource,
                        sampler(address, false, flags),
                        &instruction,
                        operands,
                    ));
                }
            }
        }
        for linear in [false, true] {
            for (geometry, size, vector, offset) in [
                ("1d", [6, 0, 0], "{%f0}", "{%r4}"),
                ("2d", [6, 5, 0], "{%f0, %f1}", "{%r4, %r5}"),
                ("3d", [6, 5, 3], "{%f0, %f1, %f2, %f2}", "{%r4, %r5, %r6, %r6}"),
            ] {
                let axes = geometry.as_bytes()[0] as usize - b'0' as usize;
                let instruction =
                    format!("tex.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}], {offset};");
                let mut operands = coordinates(&size[..axes], true, 200);
                small_offsets(&mut operands);
                let name = format!("offset_{geometry}_{mode}_{linear}");
                let resource = array(size, format("f32"), 1, Fill::Noise);
                all.push(texture(
                    "gathers",
                    name,
                    resource,
                    sampler(address, linear, NORMALIZED),
                    &instruction,
                    operands,
                ));
            }
        }
    }
    for linear in [false, true] {
        let resource = Resource {
            flags: CUDA_ARRAY3D_DEPTH_TEXTURE,
            ..array([6, 5, 0], format("f32"), 1, Fill::Steps)
        };
        let mut operands = coordinates(&[6, 5], true, 200);
        let mut random = Random(4);
        for words in &mut operands {
            words[4] = (random.unit() * 1.5 - 0.25).to_bits();
        }
        let instruction = format!("tex.2d.v4.f32.f32 {OUT}, [%rd3, {{%f0, %f1}}], %f4;");
        all.push(texture(
            "gathers",
            format!("depth_{linear}"),
            resource,
            sampler(1, linear, NORMALIZED),
            &instruction,
            operands,
        ));
    }
}

fn small_offsets(operands: &mut [[u32; INPUTS]]) {
    let mut random = Random(21);
    for (thread, words) in operands.iter_mut().enumerate() {
        for word in &mut words[4..8] {
            *word = if thread < 180 {
                (random.word() % 16).wrapping_sub(8)
            } else {
                (random.word() % 64).wrapping_sub(32)
            };
        }
    }
}

/// Gathers of all geometries, components, formats of fewer channels, and coordinates in texels.
pub fn geometries(all: &mut Vec<Case>) {
    const GATHER: u32 = CUDA_ARRAY3D_TEXTURE_GATHER;
    let mut add = |name: String, resource, sampler, instruction: String, operands| {
        all.push(texture("gather_shapes", name, resource, sampler, &instruction, operands));
    };
    for component in ["r", "g", "b", "a"] {
        for (geometry, size, flags, vector) in [
            ("2d", [6, 5, 0], 0, "{%f0, %f1}"),
            ("a2d", [6, 5, 4], CUDA_ARRAY3D_LAYERED, "{%r4, %f0, %f1, %f1}"),
            ("cube", [5, 5, 6], CUDA_ARRAY3D_CUBEMAP, "{%f0, %f1, %f2, %f2}"),
            (
                "acube",
                [5, 5, 12],
                CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED,
                "{%r4, %f0, %f1, %f2}",
            ),
        ] {
            let cube = geometry.contains("cube");
            for seamless in [false, true] {
                if seamless && !cube {
                    continue;
                }
                // Arrays with layers and cubes are not made for gathering.
                let gather = if geometry == "2d" { GATHER } else { 0 };
                let resource =
                    Resource { flags: gather | flags, ..array(size, format("u8"), 4, Fill::Noise) };
                let mut operands =
                    if cube { layers::directions(200) } else { coordinates(&[6, 5], true, 200) };
                for (thread, words) in operands.iter_mut().enumerate() {
                    words[4] = [0, 1, 2, 3, 7, u32::MAX][thread % 6];
                }
                let more = if seamless { CU_TRSF_SEAMLESS_CUBEMAP } else { 0 };
                add(
                    format!("{geometry}_{component}_{seamless}"),
                    resource,
                    sampler(1, false, NORMALIZED | more),
                    format!("tld4.{component}.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}];"),
                    operands,
                );
            }
        }
        for (name, channels) in [("f32", 1), ("f32", 2), ("f16", 4), ("s16", 2), ("u32", 1)] {
            for (mode, address) in ADDRESS_MODES {
                for linear in [false, true] {
                    if linear && name == "u32" {
                        continue;
                    }
                    let resource = Resource {
                        flags: GATHER,
                        ..array([6, 5, 0], format(name), channels, Fill::Noise)
                    };
                    add(
                        format!("{name}x{channels}_{component}_{mode}_{linear}"),
                        resource,
                        sampler(address, linear, 0),
                        format!("tld4.{component}.2d.v4.f32.f32 {OUT}, [%rd3, {{%f0, %f1}}];"),
                        coordinates(&[6, 5], false, 150),
                    );
                }
            }
        }
    }
}
