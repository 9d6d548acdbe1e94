//! Textures and surfaces that are variables of the module.

use super::*;

pub fn references(all: &mut Vec<Case>) {
    let mut reference = |name: String, resource, sampler, instruction: &str, operands| {
        let case = texture("references", name, resource, sampler, instruction, operands);
        all.push(Case { object: Object::TextureReference, ..case });
    };
    let look = format!("tex.2d.v4.f32.f32 {OUT}, [image, {{%f0, %f1}}];");
    for (mode, address) in ADDRESS_MODES {
        for linear in [false, true] {
            for (unit, flags) in [("texels", 0), ("normalized", NORMALIZED)] {
                for store in [Store::Array, Store::Pitch] {
                    let resource =
                        Resource { store, ..array([6, 5, 0], format("f32"), 1, Fill::Noise) };
                    let memory = if store == Store::Pitch { "plane" } else { "array" };
                    let operands = coordinates(&[6, 5], flags != 0, 150);
                    let sampler = sampler(address, linear, flags);
                    let name = format!("{memory}_{mode}_{linear}_{unit}");
                    reference(name, resource, sampler, &look, operands);
                }
            }
        }
    }
    for format in FORMATS {
        for (mode, flags) in [("plain", 0), ("integer", AS_INTEGER)] {
            let resource = array([6, 5, 0], *format, 4, Fill::Noise);
            let name = format!("{}_{mode}", format.name);
            let sampler = sampler(1, false, flags | NORMALIZED);
            reference(name, resource, sampler, &look, coordinates(&[6, 5], true, 60));
        }
    }
    let whole = (0..100).map(|thread| std::array::from_fn(|_| thread)).collect();
    let line =
        Resource { store: Store::Linear, ..array([60, 0, 0], format("f32"), 1, Fill::Noise) };
    let look = format!("tex.1d.v4.f32.s32 {OUT}, [image, {{%r0}}];");
    reference("line".to_owned(), line, sampler(1, false, 0), &look, whole);
    let levels = Resource {
        store: Store::Mipmapped(4),
        ..array([32, 16, 0], format("f32"), 1, Fill::Noise)
    };
    let look = format!("tex.level.2d.v4.f32.f32 {OUT}, [image, {{%f0, %f1}}], %f1;");
    let mut between = sampler(1, true, NORMALIZED);
    between.mipmapFilterMode = CUfilter_mode(1);
    between.maxMipmapLevelClamp = 10.0;
    reference("levels".to_owned(), levels, between, &look, coordinates(&[2, 2], false, 100));
    for query in ["width", "height"] {
        let resource = array([6, 5, 0], format("f32"), 1, Fill::Noise);
        let instruction = format!("txq.{query}.b32 %o0, [image];");
        reference(
            query.to_owned(),
            resource,
            sampler(1, false, 0),
            &instruction,
            vec![[0; INPUTS]],
        );
    }
    let resource = Resource {
        flags: CUDA_ARRAY3D_SURFACE_LDST,
        ..array([8, 6, 0], format("u32"), 1, Fill::Noise)
    };
    for (name, instruction) in [
        ("load", "suld.b.2d.b32.zero {%o0}, [target, {%r0, %r1}];"),
        ("store", "sust.b.2d.b32.zero [target, {%r0, %r1}], %r0;"),
        ("width", "suq.width.b32 %o0, [target];"),
    ] {
        let operands = (0..60)
            .map(|thread| {
                let mut words = [0; INPUTS];
                (words[0], words[1]) = (thread % 10 * 4, thread / 10);
                words
            })
            .collect();
        let sampler = sampler(1, false, 0);
        let case = texture(
            "references",
            format!("surface_{name}"),
            resource,
            sampler,
            instruction,
            operands,
        );
        all.push(Case { object: Object::SurfaceReference, reads_back: true, ..case });
    }
}
