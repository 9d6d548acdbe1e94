//! Formats of blocks of 4 x 4 texels.

use super::*;
use crate::resource::BLOCKS;

pub fn blocks(all: &mut Vec<Case>) {
    for (index, (block, channels)) in BLOCKS.iter().enumerate() {
        let size = [64, 24, 0];
        let srgb = block.name.ends_with("srgb");
        let flags = if srgb { CU_TRSF_SRGB } else { 0 };
        // All texels, in order.
        let texels = (0..64 * 24)
            .map(|texel| {
                let mut words = [0; INPUTS];
                words[0] = (texel as f32 % 64.0 + 0.5).to_bits();
                words[1] = ((texel / 64) as f32 + 0.5).to_bits();
                words
            })
            .collect();
        let resource = array(size, *block, *channels, Fill::Noise);
        let mut add = |name: String, resource, sampler, operands| {
            all.push(texture("blocks", name, resource, sampler, &lookup("2d").0, operands));
        };
        add(format!("{}_texels", block.name), resource, sampler(1, false, flags), texels);
        for (mode, address) in [("clamp", 1), ("border", 3)] {
            let sampler = sampler(address, true, flags | NORMALIZED);
            let operands = coordinates(&[64, 24], true, 400);
            add(format!("{}_linear_{mode}", block.name), resource, sampler, operands);
        }
        // Blocks that stick out.
        let odd = array([13, 6, 0], *block, *channels, Fill::Noise);
        let wrapped = sampler(0, true, flags | NORMALIZED);
        add(format!("{}_odd", block.name), odd, wrapped, coordinates(&[13, 6], true, 150));
        if index % 4 == 0 {
            let levels = Resource {
                store: Store::Mipmapped(5),
                ..array([24, 16, 0], *block, *channels, Fill::Noise)
            };
            let mut operands = coordinates(&[24, 16], true, 200);
            let mut random = Random(81);
            for words in &mut operands {
                words[4] = (random.unit() * 5.0 - 0.5).to_bits();
            }
            let mut sampler = sampler(1, true, flags | NORMALIZED);
            sampler.mipmapFilterMode = CUfilter_mode(1);
            sampler.maxMipmapLevelClamp = 10.0;
            let instruction = format!("tex.level.2d.v4.f32.f32 {OUT}, [%rd3, {{%f0, %f1}}], %f4;");
            let name = format!("{}_levels", block.name);
            all.push(texture("blocks", name, levels, sampler, &instruction, operands));
        }
    }
}
