//! Formats, channels and read modes.

use super::*;

/// Formats, channels and read modes.
pub fn formats(all: &mut Vec<Case>) {
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
