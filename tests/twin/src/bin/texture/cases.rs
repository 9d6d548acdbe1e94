//! All cases, by family.

use cuda_types::cuda::*;

use crate::case::{ADDRESS_MODES, Case, INPUTS, sampler};
use crate::resource::{FORMATS, Fill, Format, Kind, Resource, Store, format};

const NORMALIZED: u32 = CU_TRSF_NORMALIZED_COORDINATES;
const AS_INTEGER: u32 = CU_TRSF_READ_AS_INTEGER;

/// Numbers that follow one another at random, the same in every run.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / (1 << 24) as f32
    }

    fn pick(&mut self, from: &[f32]) -> f32 {
        from[self.word() as usize % from.len()]
    }
}

/// Coordinates along an axis of `size` texels: special values, both sides of texels' edges and centres, and
/// what lies between.
fn axis(size: usize, normalized: bool) -> Vec<f32> {
    let size = size.max(1) as f32;
    let unit = if normalized { size } else { 1.0 };
    let mut all = vec![
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e30,
        -1e30,
        3e9,
        -3e9,
        1e6,
        -1e6,
        -0.0,
        1e-40,
    ];
    let mut near = |value: f32| {
        let value = value / unit;
        all.extend([value, value.next_up(), value.next_down()]);
    };
    for step in -4..=(2 * size as i32 + 4) {
        near(step as f32 * 0.5);
    }
    near(2.0 * size);
    near(-size);
    near(-2.5 * size);
    near(1.0 + 1.0 / 512.0);
    near(1.0 + 3.0 / 512.0);
    near(1.0 + 1.0 / 256.0);
    let mut random = Random(size as u64);
    all.extend((0..64).map(|_| (random.unit() * 4.0 - 1.5) * size / unit));
    all
}

/// `count` threads with coordinates of up to three axes, picked at random; along one axis all of them come.
fn coordinates(sizes: &[usize], normalized: bool, count: usize) -> Vec<[u32; INPUTS]> {
    let axes: Vec<Vec<f32>> = sizes.iter().map(|&size| axis(size, normalized)).collect();
    let mut random = Random(sizes.len() as u64 * 77);
    (0..count)
        .map(|thread| {
            let mut words = [0; INPUTS];
            for (word, axis) in words.iter_mut().zip(&axes) {
                let value = match sizes.len() {
                    1 if thread < axis.len() => axis[thread],
                    _ => random.pick(axis),
                };
                *word = value.to_bits();
            }
            words
        })
        .collect()
}

fn array(size: [usize; 3], format: Format, channels: usize, fill: Fill) -> Resource {
    Resource { store: Store::Array, size, flags: 0, format, channels, fill }
}

fn texture(
    family: &'static str,
    name: String,
    resource: Resource,
    sampler: CUDA_TEXTURE_DESC,
    instruction: &str,
    operands: Vec<[u32; INPUTS]>,
) -> Case {
    let instruction = instruction.to_owned();
    let name = format!("{family}.{name}");
    Case {
        family,
        name,
        resource,
        sampler,
        surface: false,
        reads_back: false,
        instruction,
        operands,
    }
}

const OUT: &str = "{%o0, %o1, %o2, %o3}";

/// The look-up of a geometry by floats, and the axes of its coordinates.
fn lookup(geometry: &str) -> (String, usize) {
    let (vector, axes) = match geometry {
        "1d" => ("{%f0}", 1),
        "2d" => ("{%f0, %f1}", 2),
        _ => ("{%f0, %f1, %f2, %f2}", 3),
    };
    (format!("tex.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}];"), axes)
}

/// Weights of linear filters, seen through texels 0 and 1.
fn weights(all: &mut Vec<Case>) {
    for size in [2, 5, 8, 100] {
        for normalized in [false, true] {
            let flags = if normalized { NORMALIZED } else { 0 };
            let unit = if normalized { size as f32 } else { 1.0 };
            let mut operands: Vec<[u32; INPUTS]> = Vec::new();
            let mut random = Random(size as u64);
            for step in 0..1200 {
                let mut words = [0; INPUTS];
                let fine =
                    if step < 1000 { step as f32 / 1000.0 } else { random.unit() * size as f32 };
                words[0] = ((fine + 0.5) / unit).to_bits();
                operands.push(words);
            }
            let name = format!("steps_{size}_{}", if normalized { "normalized" } else { "texels" });
            let resource = array([size, 0, 0], format("f32"), 1, Fill::Steps);
            let instruction = lookup("1d").0;
            all.push(texture(
                "weights",
                name,
                resource,
                sampler(1, true, flags),
                &instruction,
                operands,
            ));
        }
    }
    for (name, format) in FORMATS.iter().map(|format| (format.name, *format)) {
        if format.size == 4 && format.kind != Kind::Float {
            continue;
        }
        for channels in [1, 4] {
            let resource = array([7, 0, 0], format, channels, Fill::Noise);
            let mut random = Random(5);
            let operands = (0..300)
                .map(|_| {
                    let mut words = [0; INPUTS];
                    words[0] = (random.unit() * 7.0).to_bits();
                    words
                })
                .collect();
            let name = format!("noise_{name}x{channels}");
            all.push(texture(
                "weights",
                name,
                resource,
                sampler(1, true, 0),
                &lookup("1d").0,
                operands,
            ));
        }
    }
}

/// Address modes, filters and coordinates of all geometries without levels.
fn addressing(all: &mut Vec<Case>) {
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

/// Formats, channels and read modes.
fn formats(all: &mut Vec<Case>) {
    let points = |linear: bool| {
        let mut operands = coordinates(&[8, 8], true, 100);
        if !linear {
            for (texel, words) in operands.iter_mut().enumerate().take(64) {
                words[0] = ((texel as f32 % 8.0 + 0.5) / 8.0).to_bits();
                words[1] = (((texel / 8) as f32 + 0.5) / 8.0).to_bits();
            }
        }
        operands
    };
    for format in FORMATS {
        for channels in [1, 2, 4] {
            for (mode, flags) in [("plain", 0), ("integer", AS_INTEGER), ("srgb", CU_TRSF_SRGB)] {
                for linear in [false, true] {
                    if mode == "srgb" && format.name != "u8" {
                        continue;
                    }
                    for result in ["f32", "u32", "s32"] {
                        let instruction =
                            format!("tex.2d.v4.{result}.f32 {OUT}, [%rd3, {{%f0, %f1}}];");
                        let name = format!("{}x{channels}_{mode}_{linear}_{result}", format.name);
                        let resource = array([8, 8, 0], *format, channels, Fill::Noise);
                        let sampler = sampler(3, linear, flags | NORMALIZED);
                        all.push(texture(
                            "formats",
                            name,
                            resource,
                            sampler,
                            &instruction,
                            points(linear),
                        ));
                    }
                }
            }
            let resource = array([8, 8, 0], *format, channels, Fill::Noise);
            for linear in [false, true] {
                let instruction = "tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%rd3, {%f0, %f1}]; mov.b32 %o0, {%h0, %h1}; mov.b32 %o1, {%h2, %h3};";
                let name = format!("{}x{channels}_{linear}_f16", format.name);
                all.push(texture(
                    "formats",
                    name,
                    resource,
                    sampler(3, linear, NORMALIZED),
                    instruction,
                    points(linear),
                ));
                let instruction = "tex.2d.v2.f16x2.f32 {%o0, %o1}, [%rd3, {%f0, %f1}];";
                let name = format!("{}x{channels}_{linear}_f16x2", format.name);
                all.push(texture(
                    "formats",
                    name,
                    resource,
                    sampler(3, linear, NORMALIZED),
                    instruction,
                    points(linear),
                ));
            }
        }
    }
}

/// Every number of 8 bits as what formats make of it, alone and with the next one.
fn ramps(all: &mut Vec<Case>) {
    for (name, format_name, flags) in
        [("srgb", "u8", CU_TRSF_SRGB), ("unorm", "u8", 0), ("snorm", "s8", 0)]
    {
        for linear in [false, true] {
            let resource = array([256, 0, 0], format(format_name), 1, Fill::Ramp);
            let operands = (0..if linear { 1024 } else { 256 })
                .map(|thread| {
                    let mut words = [0; INPUTS];
                    let (texel, part) = (thread % 256, [0.0, 0.25, 0.5, 1.0 / 256.0][thread / 256]);
                    words[0] = ((texel as f32 + 0.5 + part) / 256.0).to_bits();
                    words
                })
                .collect();
            let name = format!("{name}_{linear}");
            let sampler = sampler(1, linear, flags | NORMALIZED);
            all.push(texture("ramps", name, resource, sampler, &lookup("1d").0, operands));
        }
    }
}

/// Layers, and cubes with layers.
fn layers(all: &mut Vec<Case>) {
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
fn directions(count: usize) -> Vec<[u32; INPUTS]> {
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

fn cubes(all: &mut Vec<Case>) {
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

/// Levels by `.level`, `.grad` and `.base`.
fn mipmaps(all: &mut Vec<Case>) {
    let levels = |geometry: &str, count: usize, axes: &[usize]| {
        let mut operands = coordinates(axes, true, count);
        let mut random = Random(11);
        for (thread, words) in operands.iter_mut().enumerate() {
            for word in &mut words[..axes.len()] {
                *word = random.unit().to_bits();
            }
            let value = match thread {
                0 => f32::NAN,
                1 => f32::INFINITY,
                2 => f32::NEG_INFINITY,
                3..300 => (thread - 3) as f32 / 100.0 - 0.5,
                _ => random.unit() * 6.0 - 1.0,
            };
            words[4] = value.to_bits();
            if geometry == "grad" {
                for word in &mut words[4..10] {
                    let sign = if random.word() & 1 == 0 { 1.0 } else { -1.0 };
                    *word = (sign * (random.unit() * 8.0 - 7.5).exp2()).to_bits();
                }
            }
        }
        operands
    };
    let shapes: [(&str, [usize; 3], &str, &str, usize); 3] = [
        ("1d", [32, 0, 0], "{%f0}", "{%f4}, {%f6}", 1),
        ("2d", [32, 16, 0], "{%f0, %f1}", "{%f4, %f5}, {%f6, %f7}", 2),
        (
            "3d",
            [16, 16, 8],
            "{%f0, %f1, %f2, %f2}",
            "{%f4, %f5, %f6, %f6}, {%f7, %f8, %f9, %f9}",
            3,
        ),
    ];
    for (geometry, size, vector, slopes, axes) in shapes {
        for linear in [false, true] {
            for between in [false, true] {
                for (variant, bias, low, high) in
                    [("plain", 0.0, 0.0, 10.0), ("biased", 0.7, 0.6, 2.3)]
                {
                    let resource = Resource {
                        store: Store::Mipmapped(5),
                        ..array(size, format("f32"), 1, Fill::Noise)
                    };
                    let mut sampler = sampler(1, linear, NORMALIZED);
                    sampler.mipmapFilterMode = CUfilter_mode(between.into());
                    sampler.mipmapLevelBias = bias;
                    sampler.minMipmapLevelClamp = low;
                    sampler.maxMipmapLevelClamp = high;
                    sampler.maxAnisotropy = 1;
                    for (kind, instruction) in [
                        (
                            "level",
                            format!(
                                "tex.level.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}], %f4;"
                            ),
                        ),
                        (
                            "base",
                            format!("tex.base.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}];"),
                        ),
                        (
                            "grad",
                            format!(
                                "tex.grad.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}], {slopes};"
                            ),
                        ),
                        ("none", format!("tex.{geometry}.v4.f32.f32 {OUT}, [%rd3, {vector}];")),
                    ] {
                        let count = if kind == "level" || kind == "grad" { 500 } else { 60 };
                        let name = format!("{geometry}_{kind}_{linear}_{between}_{variant}");
                        let operands = levels(kind, count, &size[..axes]);
                        all.push(texture(
                            "mipmaps",
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
    }
}

/// Four texels, offsets, and depths compared.
fn gathers(all: &mut Vec<Case>) {
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

/// Surfaces: loads, stores and reductions of bits, formatted stores, outside of the surface too.
fn surfaces(all: &mut Vec<Case>) {
    let size = [8, 6, 4];
    let surface = |name: String,
                   resource: Resource,
                   instruction: String,
                   operands: Vec<[u32; INPUTS]>,
                   reads_back| {
        Case {
            family: "surfaces",
            name: format!("surfaces.{name}"),
            resource,
            sampler: sampler(1, false, 0),
            surface: true,
            reads_back,
            instruction,
            operands,
        }
    };
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

/// What textures and surfaces say of themselves.
fn queries(all: &mut Vec<Case>) {
    let words = [
        "width",
        "height",
        "depth",
        "channel_data_type",
        "channel_order",
        "normalized_coords",
        "array_size",
        "num_mipmap_levels",
        "num_samples",
        "force_unnormalized_coords",
        "filter_mode",
        "addr_mode_0",
        "addr_mode_1",
        "addr_mode_2",
    ];
    for (name, size, flags) in [
        ("1d", [6, 0, 0], 0),
        ("2d", [6, 5, 0], 0),
        ("3d", [6, 5, 3], 0),
        ("a2d", [6, 5, 3], CUDA_ARRAY3D_LAYERED),
    ] {
        for format in FORMATS {
            for channels in [1, 2, 4] {
                if name != "2d" && (format.name != "u8" || channels != 1) {
                    continue;
                }
                let resource = Resource { flags, ..array(size, *format, channels, Fill::Noise) };
                for query in words {
                    let instruction = format!("txq.{query}.b32 %o0, [%rd3];");
                    let name = format!("{name}_{}x{channels}_{query}", format.name);
                    all.push(texture(
                        "queries",
                        name,
                        resource,
                        sampler(2, true, NORMALIZED),
                        &instruction,
                        vec![[0; INPUTS]],
                    ));
                }
                let resource = Resource { flags: flags | CUDA_ARRAY3D_SURFACE_LDST, ..resource };
                for query in [
                    "width",
                    "height",
                    "depth",
                    "channel_data_type",
                    "channel_order",
                    "array_size",
                    "memory_layout",
                ] {
                    let instruction = format!("suq.{query}.b32 %o0, [%rd3];");
                    let name = format!("surface_{name}_{}x{channels}_{query}", format.name);
                    let case = texture(
                        "queries",
                        name,
                        resource,
                        sampler(1, false, 0),
                        &instruction,
                        vec![[0; INPUTS]],
                    );
                    all.push(Case { surface: true, ..case });
                }
            }
        }
    }
    for level in 0..3 {
        for query in ["width", "height", "depth"] {
            let resource = Resource {
                store: Store::Mipmapped(3),
                ..array([32, 16, 8], format("u8"), 1, Fill::Noise)
            };
            let instruction = format!("txq.level.{query}.b32 %o0, [%rd3], {level};");
            let name = format!("level_{level}_{query}");
            all.push(texture(
                "queries",
                name,
                resource,
                sampler(2, true, NORMALIZED),
                &instruction,
                vec![[0; INPUTS]],
            ));
        }
    }
}

pub fn all() -> Vec<Case> {
    let mut all = Vec::new();
    weights(&mut all);
    addressing(&mut all);
    formats(&mut all);
    ramps(&mut all);
    layers(&mut all);
    cubes(&mut all);
    mipmaps(&mut all);
    gathers(&mut all);
    surfaces(&mut all);
    queries(&mut all);
    all
}
