//! Linear filters: weights, and every number of 8 bits.

use super::*;

/// Weights of linear filters, seen through texels 0 and 1.
pub fn weights(all: &mut Vec<Case>) {
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

/// Every number of 8 bits as what formats make of it, alone and with the next one.
pub fn ramps(all: &mut Vec<Case>) {
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

/// The ends of formats, among them numbers less than -1, in filters.
pub fn ends(all: &mut Vec<Case>) {
    for format in FORMATS {
        for (geometry, size) in [("1d", [9, 0, 0]), ("2d", [9, 7, 0]), ("3d", [9, 7, 5])] {
            let (instruction, axes) = lookup(geometry);
            for (mode, flags) in [("plain", 0), ("integer", AS_INTEGER)] {
                for linear in [false, true] {
                    let resource = array(size, *format, 2, Fill::Ends);
                    let operands = coordinates(&size[..axes], true, 200);
                    let name = format!("{}_{geometry}_{mode}_{linear}", format.name);
                    let sampler = sampler(1, linear, flags | NORMALIZED);
                    all.push(texture("ends", name, resource, sampler, &instruction, operands));
                }
            }
        }
    }
}

/// Borders of any colour.
pub fn borders(all: &mut Vec<Case>) {
    let colours = [
        [0.3, 0.7, 0.123, 0.9],
        [1e-3, 0.999, -0.3, 1.5],
        [1e-8, 65504.0, -65520.0, 1e30],
        [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0],
        [0.002, 0.0031, 0.5001, 0.00002],
    ];
    for format in FORMATS {
        for (index, colour) in colours.into_iter().enumerate() {
            for linear in [false, true] {
                for (mode, flags) in [("plain", 0), ("srgb", CU_TRSF_SRGB)] {
                    if mode == "srgb" && format.name != "u8" {
                        continue;
                    }
                    let resource = array([4, 4, 0], *format, 4, Fill::Noise);
                    let mut sampler = sampler(3, linear, flags | NORMALIZED);
                    sampler.borderColor = colour;
                    let name = format!("{}_{index}_{mode}_{linear}", format.name);
                    let operands = coordinates(&[4, 4], true, 100);
                    all.push(texture(
                        "borders",
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
}
