//! Queries of the attributes of textures and surfaces.

use super::*;

/// Adds queries of the attributes of textures and surfaces.
pub fn queries(all: &mut Vec<Case>) {
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
                    all.push(Case { object: Object::Surface, ..case });
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

/// Sizes of cubes, layers and levels of them.
pub fn shapes(all: &mut Vec<Case>) {
    const CUBE: u32 = CUDA_ARRAY3D_CUBEMAP;
    for (name, size, flags, levels) in [
        ("a1d", [6, 0, 3], CUDA_ARRAY3D_LAYERED, 0),
        ("cube", [8, 8, 6], CUBE, 0),
        ("acube", [8, 8, 12], CUBE | CUDA_ARRAY3D_LAYERED, 0),
        ("levels_1d", [32, 0, 0], 0, 3),
        ("levels_2d", [32, 20, 0], 0, 3),
        ("levels_a2d", [32, 20, 5], CUDA_ARRAY3D_LAYERED, 3),
        ("levels_cube", [16, 16, 6], CUBE, 3),
        ("levels_acube", [16, 16, 12], CUBE | CUDA_ARRAY3D_LAYERED, 3),
    ] {
        let plain = array(size, format("u8"), 1, Fill::Noise);
        let store = if levels == 0 { Store::Array } else { Store::Mipmapped(levels) };
        let resource = Resource { flags, store, ..plain };
        let mut query = |name: String, instruction: String| {
            all.push(texture(
                "query_shapes",
                name,
                resource,
                sampler(2, true, NORMALIZED),
                &instruction,
                vec![[0; INPUTS]],
            ));
        };
        for word in ["width", "height", "depth", "array_size", "num_mipmap_levels"] {
            query(format!("{name}_{word}"), format!("txq.{word}.b32 %o0, [%rd3];"));
        }
        for level in 0..4 {
            for word in ["width", "height", "depth"] {
                query(
                    format!("{name}_{word}_{level}"),
                    format!("txq.level.{word}.b32 %o0, [%rd3], {level};"),
                );
            }
        }
    }
}
