//! `txq` and `suq`.

use cpu_abi::{TextureAttribute, TextureOperation};
use hip_host::core::format::Channel;
use hip_host::core::texture::{Geometry, Object, Sampler};

use super::Results;

/// `txq` and `suq`: an attribute of a texture or a surface. `level` is the level that sizes are of; one that does not
/// exist gives 0.
pub fn attribute(object: &Object, operation: &TextureOperation, level: u32) -> Results {
    use TextureAttribute::*;
    let Some(attribute) = operation.attribute() else { return [0; 5] };
    let Some(of_level) = object.levels.get(level as usize) else { return [0, 0, 0, 0, 1] };
    let layers = match object.geometry {
        Geometry::Layers(_) => object.levels[0].depth,
        Geometry::CubeLayers => object.levels[0].depth / 6,
        _ => 0,
    };
    let word = match attribute {
        Width => of_level.width as u32,
        Height if object.surface && object.geometry == Geometry::Axes(1) => 0,
        // Layers are a row's height and a plane's depth.
        Height if object.geometry == Geometry::Layers(1) => layers as u32,
        Depth if matches!(object.geometry, Geometry::Layers(2) | Geometry::CubeLayers) => {
            layers as u32
        }
        Height => of_level.height as u32,
        Depth if object.geometry == Geometry::Axes(3) => of_level.depth as u32,
        Depth => 0,
        ArraySize => layers as u32,
        NumMipmapLevels => object.levels.len() as u32,
        NumSamples => 1,
        ChannelDataType => data_type(object),
        ChannelOrder => [0x10b0, 0x10b0, 0x10b2, 0x10b2, 0x10b5][object.format.channels & 7],
        NormalizedCoords => object.sampler.normalized.into(),
        MemoryLayout => 0,
        other => sampler_attribute(&object.sampler, other).unwrap_or(0),
    };
    [word, 0, 0, 0, 1]
}

/// `txq` of a sampler's attribute; nothing for attributes of images.
pub fn sampler_attribute(sampler: &Sampler, attribute: TextureAttribute) -> Option<u32> {
    use TextureAttribute::*;
    Some(match attribute {
        ForceUnnormalizedCoords => (!sampler.normalized).into(),
        FilterMode => sampler.linear.into(),
        AddrMode0 => sampler.address[0] as u32,
        AddrMode1 => sampler.address[1] as u32,
        AddrMode2 => sampler.address[2] as u32,
        _ => return None,
    })
}

/// As OpenCL numbers the types of channels ("the values correspond to those in the OpenCL headers").
fn data_type(object: &Object) -> u32 {
    match (object.format.channel, object.as_integers) {
        (Channel::S8, false) | (Channel::Snorm8, _) => 0x10d0,
        (Channel::S16, false) | (Channel::Snorm16, _) => 0x10d1,
        (Channel::U8, false) | (Channel::Unorm8, _) => 0x10d2,
        (Channel::U16, false) | (Channel::Unorm16, _) => 0x10d3,
        (Channel::S8, true) => 0x10d7,
        (Channel::S16, true) => 0x10d8,
        (Channel::S32, _) => 0x10d9,
        (Channel::U8, true) => 0x10da,
        (Channel::U16, true) => 0x10db,
        (Channel::U32, _) => 0x10dc,
        (Channel::F16, _) => 0x10dd,
        (Channel::F32, _) => 0x10de,
    }
}
