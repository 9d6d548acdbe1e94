//! `suld`, `sust` and `sured`.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

use cpu_abi::{SurfaceBounds, SurfaceReduction, TextureAction, TextureOperation, TextureType};
use hip_host::core::array::Level;
use hip_host::core::format::Channel;
use hip_host::core::texture::Object;

use super::{Operands, Results, Stop};
use crate::engine::half;

/// The address of an access's first byte, or nothing outside of the surface.
fn place(
    level: &Level,
    operation: &TextureOperation,
    operands: &mut Operands,
    texel: usize,
    width: usize,
) -> Result<Option<usize>, Stop> {
    let layer = operation.geometry.is_layered().then(|| operands.word());
    let mut coordinates = [0_i64; 3];
    for coordinate in &mut coordinates[..operation.geometry.axes()] {
        *coordinate = i64::from(operands.word() as i32);
    }
    if let Some(layer) = layer {
        coordinates[2] = layer.into();
    }
    let [x, y, z] = coordinates;
    // Bytes, of which the lowest that the access needs not be aligned by are cut.
    let formatted =
        matches!(operation.action, TextureAction::StoreFormatted | TextureAction::ReduceFormatted);
    let x = if formatted { x * width as i64 } else { x };
    let row = (level.width * texel) as i64;
    let clamped = |value: i64, size: usize| value.clamp(0, size as i64 - 1);
    let fits = x >= 0
        && x + width as i64 <= row
        && (0..level.height as i64).contains(&y)
        && (0..level.depth as i64).contains(&z);
    let begins = (0..row).contains(&x)
        && (0..level.height as i64).contains(&y)
        && (0..level.depth as i64).contains(&z);
    if operation.bounds == SurfaceBounds::Trap && !begins {
        return Err(Stop::Outside);
    }
    if !formatted && x % width as i64 != 0 {
        return Err(Stop::Misaligned);
    }
    let (x, y, z) = match operation.bounds {
        _ if fits => (x, y, z),
        SurfaceBounds::Trap => return Err(Stop::Outside),
        SurfaceBounds::Zero => return Ok(None),
        SurfaceBounds::Clamp => (
            x.clamp(0, (row - width as i64).max(0)),
            clamped(y, level.height),
            clamped(z, level.depth),
        ),
    };
    if width as i64 > row {
        return Ok(None);
    }
    let x = x as usize / width * width;
    let place = level.ptr;
    Ok(Some(place.start + z as usize * place.slice + y as usize * place.pitch + x))
}

/// Bytes of an element.
fn element(type_: TextureType) -> usize {
    use TextureType::*;
    match type_ {
        B8 => 1,
        B16 | F16 => 2,
        B64 | U64 | S64 => 8,
        _ => 4,
    }
}

/// Performs `suld`, `sust` or `sured` for one lane. Fails where the instruction ends the kernel.
pub fn access(
    object: &Object,
    operation: &TextureOperation,
    operands: &mut Operands,
) -> Result<Results, Stop> {
    let level = &object.levels[0];
    let size = element(operation.type_);
    let bytes = size * usize::from(operation.count);
    let texel = object.format.size();
    // Formatted reductions count in what they reduce, whatever the texels are.
    let width = if operation.action == TextureAction::StoreFormatted { texel } else { bytes };
    let at = place(level, operation, operands, texel, width)?;
    let mut results = [0; 5];
    results[4] = at.is_some().into();
    let Some(at) = at else { return Ok(results) };
    match operation.action {
        TextureAction::Load => {
            let mut buffer = [0_u8; 16];
            let bytes = bytes.min(16);
            // SAFETY: the bytes are inside of the level, which the object keeps alive.
            unsafe { std::ptr::copy_nonoverlapping(at as *const u8, buffer.as_mut_ptr(), bytes) };
            let step = size.min(4);
            for (index, word) in results.iter_mut().enumerate().take(bytes / step) {
                let mut value = [0; 4];
                value[..step].copy_from_slice(&buffer[index * step..][..step]);
                *word = u32::from_le_bytes(value);
            }
        }
        TextureAction::Store => {
            let mut buffer = [0_u8; 16];
            let bytes = bytes.min(16);
            let step = size.min(4);
            for index in 0..bytes / step {
                let value = operands.word().to_le_bytes();
                buffer[index * step..][..step].copy_from_slice(&value[..step]);
            }
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(buffer.as_ptr(), at as *mut u8, bytes) };
        }
        TextureAction::StoreFormatted => {
            let size = object.format.channel.size();
            for index in 0..object.format.channels {
                let word = if index < usize::from(operation.count) { operands.word() } else { 0 };
                let value = stored(object.format.channel, word).to_le_bytes();
                // SAFETY: as above.
                unsafe {
                    let to = (at + index * size) as *mut u8;
                    std::ptr::copy_nonoverlapping(value.as_ptr(), to, size);
                }
            }
        }
        // Bits are signed where the format is.
        TextureAction::ReduceFormatted if object.format.channel == Channel::S32 => {
            reduce(operation, TextureType::S32, at, operands);
        }
        _ => reduce(operation, operation.type_, at, operands),
    }
    Ok(results)
}

/// A value as a channel keeps it: floats for formats of floats, integers that are as near as can be for
/// formats of integers.
fn stored(channel: Channel, word: u32) -> u32 {
    let float = f32::from_bits(word);
    let signed = word as i32;
    let normal = |least: f32, scale: f32| {
        let value = if float.is_nan() { 0.0 } else { float.clamp(least, 1.0) };
        (value * scale).round_ties_even() as i32 as u32
    };
    match channel {
        Channel::U8 => word.min(255),
        Channel::U16 => word.min(65535),
        Channel::S8 => signed.clamp(-128, 127) as u32,
        Channel::S16 => signed.clamp(-32768, 32767) as u32,
        Channel::U32 | Channel::S32 | Channel::F32 => word,
        Channel::F16 => half::to_f16_cut(float).into(),
        Channel::Unorm8 => normal(0.0, 255.0),
        Channel::Unorm16 => normal(0.0, 65535.0),
        Channel::Snorm8 => normal(-1.0, 127.0),
        Channel::Snorm16 => normal(-1.0, 32767.0),
    }
}

fn reduce(operation: &TextureOperation, type_: TextureType, at: usize, operands: &mut Operands) {
    use SurfaceReduction::*;
    const RELAXED: Ordering = Ordering::Relaxed;
    let Some(reduction) = operation.reduction() else { return };
    let low = operands.word();
    let wide = u64::from(low) | u64::from(operands.word()) << 32;
    // SAFETY: the bytes are inside of the level and aligned by the access's own size; other threads use
    // atomics too.
    unsafe {
        match type_ {
            TextureType::S32 => {
                let to = AtomicI32::from_ptr(at as *mut i32);
                match reduction {
                    Add => to.fetch_add(low as i32, RELAXED),
                    Min => to.fetch_min(low as i32, RELAXED),
                    Max => to.fetch_max(low as i32, RELAXED),
                    And => to.fetch_and(low as i32, RELAXED),
                    Or => to.fetch_or(low as i32, RELAXED),
                };
            }
            TextureType::S64 => {
                let to = AtomicI64::from_ptr(at as *mut i64);
                match reduction {
                    Add => to.fetch_add(wide as i64, RELAXED),
                    Min => to.fetch_min(wide as i64, RELAXED),
                    Max => to.fetch_max(wide as i64, RELAXED),
                    And => to.fetch_and(wide as i64, RELAXED),
                    Or => to.fetch_or(wide as i64, RELAXED),
                };
            }
            TextureType::U64 | TextureType::B64 => {
                let to = AtomicU64::from_ptr(at as *mut u64);
                match reduction {
                    Add => to.fetch_add(wide, RELAXED),
                    Min => to.fetch_min(wide, RELAXED),
                    Max => to.fetch_max(wide, RELAXED),
                    And => to.fetch_and(wide, RELAXED),
                    Or => to.fetch_or(wide, RELAXED),
                };
            }
            _ => {
                let to = AtomicU32::from_ptr(at as *mut u32);
                match reduction {
                    Add => to.fetch_add(low, RELAXED),
                    Min => to.fetch_min(low, RELAXED),
                    Max => to.fetch_max(low, RELAXED),
                    And => to.fetch_and(low, RELAXED),
                    Or => to.fetch_or(low, RELAXED),
                };
            }
        }
    }
}
