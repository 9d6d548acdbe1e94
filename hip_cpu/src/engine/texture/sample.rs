//! `tex` and `tld4`.

use cpu_abi::{TextureAction, TextureGeometry, TextureLevel, TextureOperation, TextureType};
use hip_host::core::array::Level;
use hip_host::core::texture::{Address, Geometry, Object, Sampler};
use smallvec::SmallVec;

use super::coordinate::{self, Axis, Fixed, WEIGHT};
use super::filter::{self, Weighted};
use super::texel::{self, Number, Texel};
use super::{Operands, Results, cube, slope};
use crate::engine::half;

/// A look-up of one lane.
struct Lookup<'a> {
    object: &'a Object,
    sampler: &'a Sampler,
    operation: &'a TextureOperation,
    layer: u32,
    coordinates: [u32; 3],
    /// Into a cube.
    direction: [f32; 3],
    offsets: [i32; 3],
    depth: Option<f32>,
}

/// Fractional bits of levels.
const LEVEL: u32 = 8;

/// Performs `tex` or `tld4` for one lane.
pub fn sample(
    object: &Object,
    sampler: &Sampler,
    operation: &TextureOperation,
    operands: &mut Operands,
) -> Results {
    let geometry = operation.geometry;
    let layer = if geometry.is_layered() { operands.word() } else { 0 };
    if matches!(geometry, TextureGeometry::D2ms | TextureGeometry::A2dms) {
        operands.word();
    }
    let axes = geometry.axes();
    let mut take = |count: usize| {
        let mut words = [0; 3];
        words[..count].fill_with(|| operands.word());
        words
    };
    let coordinates = take(axes);
    let (mut level, mut slopes) = (0.0, [[0.0; 3]; 2]);
    match operation.level {
        TextureLevel::Level if operation.whole => level = take(1)[0] as i32 as f32,
        TextureLevel::Level => level = f32::from_bits(take(1)[0]),
        TextureLevel::Grad => {
            slopes = [take(axes).map(f32::from_bits), take(axes).map(f32::from_bits)]
        }
        TextureLevel::Implicit | TextureLevel::Base => {}
    }
    let offsets = if operation.offset { take(axes) } else { [0; 3] };
    let depth = operation.compare.then(|| f32::from_bits(take(1)[0]));
    // Four bits of an offset count, six of one of a gather.
    let unused = if operation.action == TextureAction::Gather { 26 } else { 28 };
    let mut lookup = Lookup {
        object,
        sampler,
        operation,
        layer,
        coordinates,
        direction: coordinates.map(f32::from_bits),
        offsets: offsets.map(|offset| (offset << unused) as i32 >> unused),
        depth,
    };
    // The offset of one axis is not cut, so its next bits are one across, which only a border shows.
    if geometry == TextureGeometry::D1 {
        lookup.offsets[1] = (offsets[0] << 24) as i32 >> 28;
    }
    let face = lookup.face();
    if operation.action == TextureAction::Gather {
        return lookup.gather(face);
    }
    let level = match operation.level {
        TextureLevel::Grad => lookup.level_of(slopes),
        _ => level,
    };
    lookup.filtered(face, level)
}

impl Lookup<'_> {
    fn is_cube(&self) -> bool {
        matches!(self.operation.geometry, TextureGeometry::Cube | TextureGeometry::Acube)
    }

    /// Replaces the direction into a cube by the face's coordinates.
    fn face(&mut self) -> usize {
        if !self.is_cube() {
            return 0;
        }
        let [x, y, z] = self.coordinates.map(f32::from_bits);
        let spot = cube::spot(x, y, z);
        self.coordinates = [spot.s.to_bits(), spot.t.to_bits(), 0];
        spot.face
    }

    /// Coordinates on a level in fixed point, offsets added.
    fn fixed(&self, level: &Level) -> [Fixed; 3] {
        let sizes = [level.width, level.height, level.depth];
        std::array::from_fn(|axis| {
            let word = self.coordinates[axis];
            let normalized = self.sampler.normalized || self.is_cube();
            let fixed = Fixed::new(f32::from_bits(word), sizes[axis] as i64, normalized);
            fixed.plus(self.offsets[axis].into())
        })
    }

    fn axes(&self) -> usize {
        if self.is_cube() { 2 } else { self.operation.geometry.axes() }
    }

    fn axis(&self, level: &Level, axis: usize) -> Axis {
        let size = [level.width, level.height, level.depth][axis] as i64;
        let address = match self.sampler.address[axis] {
            _ if self.is_cube() => Address::Clamp,
            // Whole numbers of texels do not repeat.
            Address::Wrap | Address::Mirror if !self.sampler.normalized => Address::Clamp,
            address => address,
        };
        Axis { size, address }
    }

    /// The slice of the layer and face.
    fn slice(&self, level: &Level, face: usize) -> usize {
        let faces = if matches!(self.object.geometry, Geometry::Cube | Geometry::CubeLayers) {
            6
        } else {
            1
        };
        let layers = (level.depth / faces).max(1);
        (self.layer as usize).min(layers - 1) * faces + face
    }

    /// The texel with this number, or the border.
    fn texel(&self, level: &Level, face: usize, numbers: [i64; 3]) -> Texel {
        let axes = self.axes();
        let mut place = [0, 0, 0];
        let border = || self.compared(texel::border(self.object, self.sampler.border));
        for axis in 0..axes {
            match self.axis(level, axis).texel(numbers[axis]) {
                Some(texel) => place[axis] = texel,
                None => return border(),
            }
        }
        if axes == 1 && numbers[1] != 0 && self.sampler.address[1] == Address::Border {
            return border();
        }
        if axes < 3 {
            place[2] = self.slice(level, face);
        }
        self.load(level, place)
    }

    /// The texel with these numbers, whatever the sampler says; zeros outside of the image. Images of one
    /// axis give no texels this way, memory does.
    fn fetch(&self, level: &Level) -> Texel {
        let axes = self.axes();
        let sizes = [level.width, level.height, level.depth];
        let mut place = [0; 3];
        for axis in 0..axes {
            let number = self.coordinates[axis] as i32;
            let number = i64::from(number) + i64::from(self.offsets[axis]);
            match usize::try_from(number) {
                Ok(number) if number < sizes[axis] => place[axis] = number,
                _ => return texel::zero(self.object),
            }
        }
        if self.object.geometry == Geometry::Axes(1) {
            return texel::zero(self.object);
        }
        if axes < 3 {
            place[2] = self.slice(level, 0);
        }
        self.load(level, place)
    }

    fn load(&self, level: &Level, place: [usize; 3]) -> Texel {
        let [x, y, z] = place;
        let inside = [x.min(level.width - 1), y.min(level.height - 1), z.min(level.depth - 1)];
        // SAFETY: the place is inside of the level, which the object keeps alive, or is memory of the program.
        self.compared(unsafe { texel::load(self.object, level, inside) })
    }

    /// A texel of a cube with seamless edges: from the next face, or nothing at a corner.
    fn cube_texel(&self, level: &Level, face: usize, x: i64, y: i64) -> Option<Texel> {
        let (face, x, y) = cube::neighbour(face, x, y, level.width as i64)?;
        Some(self.load(level, [x, y, self.slice(level, face)]))
    }

    /// "If the comparison passes, the result is 1.0, otherwise 0.0."
    fn compared(&self, texel: Texel) -> Texel {
        let Some(depth) = self.depth else { return texel };
        texel.map(|number| {
            let value = f32::from_bits(number.word());
            Number::Float(if depth <= value { 1.0 } else { 0.0 })
        })
    }

    // ---- levels

    /// The level of steps to the next thread along two directions. For images of three axes NVIDIA's compiler
    /// takes the slopes from coordinates with a step added.
    fn level_of(&self, slopes: [[f32; 3]; 2]) -> f32 {
        let level = &self.object.levels[0];
        let number = |value: f32| if value.is_nan() { 0.0 } else { value };
        let stepped = self.operation.geometry == TextureGeometry::D3;
        let level = if self.is_cube() {
            let steps = slopes.map(|slope| cube::step(self.direction, slope));
            slope::level_on_cube(steps, level.width)
        } else {
            let slopes = slopes.map(|slope| {
                std::array::from_fn(|axis| match f32::from_bits(self.coordinates[axis]) {
                    coordinate if stepped => number(coordinate + slope[axis]) - coordinate,
                    _ if axis < self.axes() => slope[axis],
                    _ => 0.0,
                })
            });
            slope::level(slopes, [level.width, level.height, level.depth])
        };
        level.map_or(f32::NEG_INFINITY, |level| level as f32 / (1 << LEVEL) as f32)
    }

    fn filtered(&self, face: usize, level: f32) -> Results {
        let object = self.object;
        let last = object.levels.len() as i64 - 1;
        let (low, weight) = if last == 0 { (0, 0) } else { self.levels(level, last) };
        let mut texels = SmallVec::<[Weighted; 16]>::new();
        const WHOLE: i64 = 1 << WEIGHT;
        self.level_texels(&object.levels[low as usize], face, WHOLE - weight, 0, &mut texels);
        if weight != 0 {
            let next = &object.levels[(low as usize + 1).min(last as usize)];
            self.level_texels(next, face, weight, 2, &mut texels);
        }
        let words = match texels.as_slice() {
            [(texel, ..)] if !self.sampler.linear || self.operation.whole => {
                texel.map(Number::word)
            }
            several => filter::average(several),
        };
        converted(self.operation.type_, words)
    }

    /// The lower level, and the weight of the next one of 256. Bias counts where the instruction names a
    /// level. Everything is cut to eight fractional bits first.
    fn levels(&self, level: f32, last: i64) -> (i64, i64) {
        let fixed = |level: f32| (f64::from(level) * f64::from(1 << LEVEL)).clamp(-1e9, 1e9);
        let sampler = self.sampler;
        let named = matches!(self.operation.level, TextureLevel::Level | TextureLevel::Grad);
        let bias = if named { fixed(sampler.bias) as i64 } else { 0 };
        let least = fixed(sampler.least_level) as i64;
        let greatest = fixed(sampler.greatest_level) as i64;
        let fixed = fixed(level) as i64 + bias;
        let fixed = fixed.max(least).min(greatest).clamp(0, last << LEVEL);
        if sampler.linear_levels {
            (fixed >> LEVEL, fixed & ((1 << LEVEL) - 1))
        } else {
            ((fixed + (1 << (LEVEL - 1))) >> LEVEL, 0)
        }
    }

    /// The texels of one level and their weights, `whole` together; `slice` is the level's first one.
    fn level_texels(
        &self,
        level: &Level,
        face: usize,
        whole: i64,
        slice: usize,
        texels: &mut SmallVec<[Weighted; 16]>,
    ) {
        let fixed = self.fixed(level);
        if self.operation.whole {
            texels.push((self.fetch(level), whole, slice));
            return;
        }
        if !self.sampler.linear {
            texels.push((self.texel(level, face, fixed.map(Fixed::nearest)), whole, slice));
            return;
        }
        let mut axes = self.axes();
        // A row is a plane of one row, met at its edge: half of what a border gives is the border.
        let bordered = self.operation.geometry == TextureGeometry::D1
            && self.sampler.address[1] == Address::Border;
        if bordered {
            axes = 2;
        }
        let between: [_; 3] = std::array::from_fn(|axis| match axis {
            _ if axis >= axes => (0, 0),
            _ if self.is_cube() && self.sampler.seamless => fixed[axis].between(),
            1 if bordered => fixed[axis].between(),
            _ => self.axis(level, axis).between(fixed[axis]),
        });
        let upper = between.map(|(_, weight)| weight);
        let mut weights = coordinate::corner_weights(whole, upper);
        let number = |corner: usize| {
            std::array::from_fn(|axis| between[axis].0 + (corner >> axis & 1) as i64)
        };
        if !(self.is_cube() && self.sampler.seamless) {
            let corners = weights.into_iter().enumerate().take(1 << axes);
            let texels_there =
                corners.filter(|(_, weight)| *weight != 0).map(|(corner, weight)| {
                    let texel = self.texel(level, face, number(corner));
                    (texel, weight, slice + (corner >> 2))
                });
            texels.extend(texels_there);
            return;
        }
        let found: [_; 4] = std::array::from_fn(|corner| {
            let [x, y, _] = number(corner);
            self.cube_texel(level, face, x, y)
        });
        // Beyond a corner of a cube there is no texel: the three others share its weight.
        if let Some(beyond) = found.iter().position(Option::is_none) {
            let third = (weights[beyond] + 1) / 3;
            weights[beyond ^ 1] += third;
            weights[beyond ^ 2] += third;
            weights[beyond ^ 3] += weights[beyond] - 2 * third;
        }
        let there = found.into_iter().zip(weights);
        texels.extend(there.filter_map(|(texel, weight)| Some((texel?, weight, slice))));
    }

    /// One channel of the four texels of a linear filter, counter-clockwise from the lower left.
    fn gather(&self, face: usize) -> Results {
        let level = &self.object.levels[0];
        let fixed = self.fixed(level);
        let [(x, _), (y, _), _] = fixed.map(Fixed::between);
        let channel = usize::from(self.operation.detail) & 3;
        let corners = [(0, 1), (1, 1), (1, 0), (0, 0)];
        let seamless = self.is_cube() && self.sampler.seamless;
        let texels = corners.map(|(dx, dy)| {
            if seamless {
                self.cube_texel(level, face, x + dx, y + dy)
            } else {
                Some(self.texel(level, face, [x + dx, y + dy, 0]))
            }
        });
        let words = std::array::from_fn(|corner| match texels[corner] {
            Some(texel) => texel[channel].word(),
            // Beyond a corner of a cube, the average of the others, as filters take it.
            None => {
                let across = corner ^ 2;
                let others: SmallVec<[Weighted; 4]> = (0..4)
                    .filter_map(|other| {
                        Some((texels[other]?, if other == across { 86 } else { 85 }, 0))
                    })
                    .collect();
                filter::average(&others)[channel]
            }
        });
        converted(self.operation.type_, words)
    }
}

/// The registers that a kernel gets of four words: the instruction may ask for halves.
pub fn converted(type_: TextureType, words: [u32; 4]) -> Results {
    let [x, y, z, w] = words;
    let narrow = |word: u32| u32::from(half::to_f16(f32::from_bits(word)));
    match type_ {
        TextureType::F16 => [narrow(x), narrow(y), narrow(z), narrow(w), 1],
        TextureType::F16x2 => [narrow(x) | narrow(y) << 16, narrow(z) | narrow(w) << 16, 0, 0, 1],
        _ => [x, y, z, w, 1],
    }
}
