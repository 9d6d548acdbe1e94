//! Levels.

use super::*;

/// Levels by `.level`, `.grad` and `.base`.
pub fn mipmaps(all: &mut Vec<Case>) {
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
