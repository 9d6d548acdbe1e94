//! All cases, by family.

mod addressing;
mod blocks;
mod filters;
mod formats;
mod gathers;
mod layers;
mod mipmaps;
mod queries;
mod references;
mod slopes;
mod surfaces;
mod views;

use cuda_types::cuda::*;

use crate::case::{ADDRESS_MODES, Case, INPUTS, Object, sampler};
use crate::random::Random;
use crate::resource::{FORMATS, Fill, Format, Kind, Resource, Store, format};

const NORMALIZED: u32 = CU_TRSF_NORMALIZED_COORDINATES;
const AS_INTEGER: u32 = CU_TRSF_READ_AS_INTEGER;

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
        view: None,
        object: Object::Texture,
        reads_back: false,
        alone: false,
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

/// The cases of all families.
pub fn all() -> Vec<Case> {
    let mut all = Vec::new();
    filters::weights(&mut all);
    addressing::addressing(&mut all);
    formats::formats(&mut all);
    filters::ramps(&mut all);
    layers::layers(&mut all);
    layers::cubes(&mut all);
    mipmaps::mipmaps(&mut all);
    gathers::gathers(&mut all);
    surfaces::surfaces(&mut all);
    queries::queries(&mut all);
    queries::shapes(&mut all);
    filters::ends(&mut all);
    filters::borders(&mut all);
    gathers::geometries(&mut all);
    layers::levels(&mut all);
    slopes::slopes(&mut all);
    surfaces::outside(&mut all);
    surfaces::formatted_reductions(&mut all);
    references::references(&mut all);
    views::views(&mut all);
    blocks::blocks(&mut all);
    all
}
