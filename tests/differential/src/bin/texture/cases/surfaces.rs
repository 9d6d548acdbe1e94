//! Loads, stores and reductions of surfaces.

use super::*;

fn surface(
    name: String,
    resource: Resource,
    instruction: String,
    operands: Vec<[u32; INPUTS]>,
    reads_back: bool,
) -> Case {
    let case = texture("surfaces", name, resource, sampler(1, false, 0), &instruction, operands);
    Case { object: Object::Surface, reads_back, ..case }
}

/// Surfaces: loads, stores and reductions of bits, formatted stores, outside of the surface too.
pub fn surfaces(all: &mut Vec<Case>) {
    let size = [8, 6, 4];
    let inside_and_around = |geometry: &str, bytes: usize, store: bool| -> Vec<[u32; INPUTS]> {
        let mut random = Random(31);
        (0..160)
            .map(|thread| {
                let mut words: [u32; INPUTS] = std::array::from_fn(|_| random.word());
                // Threads that store do not meet: each has a texel of its own, or none.
                let (x, y, z) = if store {
                    match geometry {
                        "1d" => (thread, 0, 0),
                        "2d" => (thread % 10, thread / 10, 0),
                        "a1d" => (thread % 10, 0, thread / 10),
                        _ => (thread % 10, thread / 10 % 8, thread / 80),
                    }
                } else {
                    (
                        random.word() as usize % 14,
                        random.word() as usize % 10,
                        random.word() as usize % 8,
                    )
                };
                words[0] = ((x as i32 - if store { 0 } else { 3 }) * bytes as i32) as u32;
                words[1] = (y as i32 - if store { 0 } else { 2 }) as u32;
                words[2] = (z as i32 - if store { 0 } else { 2 }) as u32;
                words[3] = words[2];
                words
            })
            .collect()
    };
    let geometries: [(&str, [usize; 3], u32, &str); 5] = [
        ("1d", [size[0], 0, 0], 0, "{%r0}"),
        ("2d", [size[0], size[1], 0], 0, "{%r0, %r1}"),
        ("3d", size, 0, "{%r0, %r1, %r2, %r2}"),
        ("a1d", [size[0], 0, size[2]], CUDA_ARRAY3D_LAYERED, "{%r2, %r0}"),
        ("a2d", size, CUDA_ARRAY3D_LAYERED, "{%r2, %r0, %r1, %r1}"),
    ];
    for (geometry, size, flags, vector) in geometries {
        let make = |format: Format, channels| Resource {
            flags: flags | CUDA_ARRAY3D_SURFACE_LDST,
            ..array(size, format, channels, Fill::Noise)
        };
        for mode in ["zero", "clamp"] {
            for (type_, bytes, result) in [
                ("b8", 1, "{%h0}"),
                ("b16", 2, "{%h0}"),
                ("b32", 4, "{%o0}"),
                ("b64", 8, "{%d2}"),
                ("v2.b32", 8, "{%o0, %o1}"),
                ("v4.b32", 16, "{%o0, %o1, %o2, %o3}"),
                ("v2.b64", 16, "{%d2, %d3}"),
                ("v4.b8", 4, "{%h0, %h1, %h2, %h3}"),
                ("v2.b16", 4, "{%h0, %h1}"),
            ] {
                let (name, channels) = match bytes {
                    1 => ("u8", 1),
                    2 => ("u16", 1),
                    4 => ("u32", 1),
                    8 => ("u32", 2),
                    _ => ("u32", 4),
                };
                let resource = make(format(name), channels);
                let after = match result.as_bytes()[2] {
                    b'd' => " mov.b64 {%o0, %o1}, %d2; mov.b64 {%o2, %o3}, %d3;",
                    b'h' => {
                        " cvt.u32.u16 %o0, %h0; cvt.u32.u16 %o1, %h1; cvt.u32.u16 %o2, %h2; cvt.u32.u16 %o3, %h3;"
                    }
                    _ => "",
                };
                let before = "mov.b64 %d2, 0; mov.b64 %d3, 0; mov.b16 %h0, 0; mov.b16 %h1, 0; mov.b16 %h2, 0; mov.b16 %h3, 0;";
                let load = format!(
                    "{before} suld.b.{geometry}.{type_}.{mode} {result}, [%rd3, {vector}];{after}"
                );
                let label = type_.replace('.', "_");
                all.push(surface(
                    format!("load_{geometry}_{mode}_{label}"),
                    resource,
                    load,
                    inside_and_around(geometry, bytes, false),
                    false,
                ));
                if mode == "clamp" {
                    continue;
                }
                let value = match type_ {
                    "b8" | "b16" => "%h0",
                    "b32" => "%r4",
                    "b64" => "%d0",
                    "v2.b32" => "{%r4, %r5}",
                    "v4.b32" => "{%r4, %r5, %r6, %r7}",
                    "v2.b64" => "{%d0, %d1}",
                    "v4.b8" => "{%h0, %h1, %h2, %h3}",
                    _ => "{%h0, %h1}",
                };
                let halves = "mov.b32 {%h0, %h1}, %r4; mov.b32 {%h2, %h3}, %r5;";
                let store =
                    format!("{halves} sust.b.{geometry}.{type_}.{mode} [%rd3, {vector}], {value};");
                all.push(surface(
                    format!("store_{geometry}_{mode}_{label}"),
                    resource,
                    store,
                    inside_and_around(geometry, bytes, true),
                    true,
                ));
            }
        }
        for format in FORMATS {
            for channels in [1, 2, 4] {
                let store = format!(
                    "sust.p.{geometry}.v4.b32.zero [%rd3, {vector}], {{%r4, %r5, %r6, %r7}};"
                );
                let name = format!("formatted_{geometry}_{}x{channels}", format.name);
                all.push(surface(
                    name,
                    make(*format, channels),
                    store,
                    formatted(inside_and_around(geometry, 1, true)),
                    true,
                ));
            }
        }
        for operation in ["add", "min", "max", "and", "or"] {
            for type_ in ["u32", "s32", "b32", "u64", "s64"] {
                let bits = type_ == "b32";
                if bits != matches!(operation, "and" | "or") || geometry.starts_with('a') {
                    continue;
                }
                let wide = type_.ends_with("64");
                let (channels, value) = if wide { (2, "%d0") } else { (1, "%r4") };
                let reduce = format!(
                    "sured.b.{operation}.{geometry}.{type_}.zero [%rd3, {vector}], {value};"
                );
                let name = format!("reduce_{geometry}_{operation}_{type_}");
                let operands = inside_and_around(geometry, 4 * channels, true);
                all.push(surface(name, make(format("u32"), channels), reduce, operands, true));
            }
        }
    }
}

/// Half of the values of formatted stores are floats.
fn formatted(mut operands: Vec<[u32; INPUTS]>) -> Vec<[u32; INPUTS]> {
    let special =
        [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 300.0, -300.0, f32::NAN, f32::INFINITY, 1e-3, 70000.0];
    let mut random = Random(41);
    for (thread, words) in operands.iter_mut().enumerate() {
        for word in &mut words[4..8] {
            match thread % 4 {
                0 => *word = random.pick(&special).to_bits(),
                1 => *word = (random.unit() * 2.0 - 1.0).to_bits(),
                2 => *word = (random.word() % 1024).wrapping_sub(512),
                _ => {}
            }
        }
    }
    operands
}

fn of_family(case: Case, family: &'static str) -> Case {
    let name = case.name.replace(case.family, family);
    Case { family, name, ..case }
}

/// Accesses that end the kernel, and stores that are moved into the surface: a thread each.
pub fn outside(all: &mut Vec<Case>) {
    let resource = Resource {
        flags: CUDA_ARRAY3D_SURFACE_LDST,
        ..array([8, 6, 0], format("u32"), 1, Fill::Noise)
    };
    let places: [(&str, i32, i32); 9] = [
        ("inside", 8, 3),
        ("last", 28, 5),
        ("left", -4, 3),
        ("right", 32, 3),
        ("above", 8, -1),
        ("below", 8, 6),
        ("far", i32::MAX & !3, 3),
        ("corner", 32, 6),
        ("odd", 6, 3),
    ];
    for (place, x, y) in places {
        for (name, instruction) in [
            ("load", "suld.b.2d.b32.MODE {%o0}, [%rd3, {%r0, %r1}];"),
            ("store", "sust.b.2d.b32.MODE [%rd3, {%r0, %r1}], %r4;"),
            ("pair", "sust.b.2d.v2.b32.MODE [%rd3, {%r0, %r1}], {%r4, %r5};"),
            ("formatted", "sust.p.2d.v4.b32.MODE [%rd3, {%r2, %r1}], {%r4, %r5, %r6, %r7};"),
            ("reduce", "sured.b.add.2d.u32.MODE [%rd3, {%r0, %r1}], %r4;"),
        ] {
            for mode in ["trap", "clamp", "zero"] {
                let mut words = [0; INPUTS];
                words[..3].copy_from_slice(&[x, y, x >> 2].map(|word| word as u32));
                words[4..8].copy_from_slice(&[0x0102_0304, 0x1122_3344, 5, 6]);
                let case = surface(
                    format!("{name}_{mode}_{place}"),
                    resource,
                    instruction.replace("MODE", mode),
                    vec![words],
                    true,
                );
                // Accesses that are not aligned may fail too.
                let bytes = if name == "pair" { 8 } else { 4 };
                let alone = mode == "trap" || x % bytes != 0;
                let case = Case { alone, ..case };
                all.push(of_family(case, "outside"));
            }
        }
    }
}

/// Reductions by whole texels' coordinates, and of surfaces of other formats than the operation's.
pub fn formatted_reductions(all: &mut Vec<Case>) {
    for (name, channels) in [("u32", 1), ("s32", 1), ("u32", 2), ("f32", 1), ("u16", 2)] {
        let resource = Resource {
            flags: CUDA_ARRAY3D_SURFACE_LDST,
            ..array([8, 6, 0], format(name), channels, Fill::Noise)
        };
        for operation in ["add", "min", "max", "and", "or"] {
            let mut random = Random(51);
            let operands = (0..60)
                .map(|thread| {
                    let mut words: [u32; INPUTS] = std::array::from_fn(|_| random.word());
                    (words[0], words[1]) = (thread % 10, thread / 10);
                    words
                })
                .collect();
            let case = surface(
                format!("{name}x{channels}_{operation}"),
                resource,
                format!("sured.p.{operation}.2d.b32.zero [%rd3, {{%r0, %r1}}], %r4;"),
                operands,
                true,
            );
            all.push(of_family(case, "reductions"));
        }
    }
}
