//! The look-ups that programs make most, without the detours of the others: of plain images with one level, by
//! instructions that name neither level nor offset. The device library means the same, and does what is
//! not done here.

use cpu_abi::texture_object::{TextureObjectLevel, TextureShape};
use cpu_abi::{TextureAction, TextureGeometry, TextureLevel, TextureOperation, TextureType};
use hip_host::core::format::Channel;
use hip_host::core::texture::{Address, Object};

use super::coordinate::{self, Axis, Fixed, WEIGHT};
use super::filter;
use super::texel::{self, Number};
use super::{Results, find};
use crate::engine::half;

/// The object that a warp's lanes look up, most often the same one.
#[derive(Default)]
pub struct Quick<'a> {
    handle: u64,
    image: Option<Image<'a>>,
}

struct Image<'a> {
    object: &'a Object,
    level: &'a TextureObjectLevel,
    axes: usize,
    sides: [Axis; 3],
}

/// The row of the first coordinate, behind handles of texture and sampler.
const COORDINATES: usize = 4;

impl<'a> Quick<'a> {
    /// Whether an instruction is one of those.
    pub fn does(operation: &TextureOperation) -> bool {
        let plain = matches!(
            operation.geometry,
            TextureGeometry::D1 | TextureGeometry::D2 | TextureGeometry::D3
        );
        let level = matches!(operation.level, TextureLevel::Implicit | TextureLevel::Base);
        operation.action == TextureAction::Sample
            && plain
            && level
            && !operation.offset
            && !operation.compare
    }

    /// The result of one lane, whose operands are the words of the rows. Nothing where it takes more than is done here.
    pub fn sample(
        &mut self,
        operation: &TextureOperation,
        row: impl Fn(usize) -> u32,
    ) -> Option<Results> {
        let handle = u64::from(row(0)) | u64::from(row(1)) << 32;
        if row(2) | row(3) != 0 {
            return None;
        }
        if handle != self.handle {
            self.image = Image::of(find(handle)?, operation);
            self.handle = handle;
        }
        let image = self.image.as_ref()?;
        let mut coordinates = [0; 3];
        for (axis, coordinate) in coordinates.iter_mut().enumerate().take(image.axes) {
            *coordinate = row(COORDINATES + axis);
        }
        let words = if operation.whole {
            image.fetch(coordinates)
        } else if image.object.description.sampler.linear != 0 {
            image.filtered(coordinates)
        } else {
            image.nearest(coordinates)
        };
        Some(converted(operation.type_, words?))
    }
}

impl<'a> Image<'a> {
    fn of(object: &'a Object, operation: &TextureOperation) -> Option<Image<'a>> {
        let description = &object.description;
        let sampler = &description.sampler;
        let axes = operation.geometry.axes();
        let shape = match description.shape {
            shape if shape == TextureShape::Linear as u32 => axes == 1,
            shape if shape == TextureShape::Axes as u32 => {
                description.axes as usize == axes && (axes > 1 || !operation.whole)
            }
            _ => false,
        };
        let address = sampler.address.map(|mode| Address::of(mode).unwrap_or(Address::Clamp));
        // A row is a plane of one row, which only a border shows.
        let bordered = axes == 1 && address[1] == Address::Border;
        let format = object.format;
        let plain = format.block.is_none() && description.level_count == 1;
        // Averages of four floats take longer here, a channel at a time, than in the device library.
        let floats = matches!(format.channel, Channel::F16 | Channel::F32) && format.channels == 4;
        let slow = floats && sampler.linear != 0 && !operation.whole;
        if object.is_surface() || !shape || bordered || !plain || slow {
            return None;
        }
        let level = &description.levels[0];
        let sizes = [level.width, level.height, level.depth];
        let sides = std::array::from_fn(|axis| Axis {
            size: sizes[axis].into(),
            address: match address[axis] {
                Address::Wrap | Address::Mirror if sampler.normalized == 0 => Address::Clamp,
                address => address,
            },
        });
        Some(Image { object, level, axes, sides })
    }

    fn fixed(&self, coordinates: [u32; 3], axis: usize) -> Fixed {
        let coordinate = f32::from_bits(coordinates[axis]);
        Fixed::new(
            coordinate,
            self.sides[axis].size,
            self.object.description.sampler.normalized != 0,
        )
    }

    fn channel(&self, place: [usize; 3], channel: usize) -> Number {
        // SAFETY: the place is inside of the level, which the object keeps alive, or is memory of the program.
        unsafe { texel::channel(self.object, self.level, place, channel) }
    }

    /// The words that `word` makes of the image's channels; those that it does not have are 0.
    fn channels(&self, word: impl Fn(usize) -> u32) -> [u32; 4] {
        let mut words = [0; 4];
        for (channel, made) in words.iter_mut().enumerate().take(self.object.format.channels) {
            *made = word(channel);
        }
        words
    }

    fn texel(&self, place: [usize; 3]) -> [u32; 4] {
        self.channels(|channel| self.channel(place, channel).word())
    }

    fn fetch(&self, numbers: [u32; 3]) -> Option<[u32; 4]> {
        let mut place = [0; 3];
        for (axis, place) in place.iter_mut().enumerate().take(self.axes) {
            // Negative numbers are too large as well.
            if i64::from(numbers[axis]) >= self.sides[axis].size.min(1 << 31) {
                return None;
            }
            *place = numbers[axis] as usize;
        }
        Some(self.texel(place))
    }

    fn nearest(&self, coordinates: [u32; 3]) -> Option<[u32; 4]> {
        let mut place = [0; 3];
        for (axis, place) in place.iter_mut().enumerate().take(self.axes) {
            *place = self.sides[axis].texel(self.fixed(coordinates, axis).nearest())?;
        }
        Some(self.texel(place))
    }

    fn filtered(&self, coordinates: [u32; 3]) -> Option<[u32; 4]> {
        let mut places = [[0; 3]; 8];
        let mut upper = [0; 3];
        let corners = 1 << self.axes;
        for axis in 0..self.axes {
            let (low, weight) = self.sides[axis].between(self.fixed(coordinates, axis));
            upper[axis] = weight;
            let low_texel = self.sides[axis].texel(low)?;
            let high_texel = match weight {
                0 => low_texel,
                _ => self.sides[axis].texel(low + 1)?,
            };
            for (corner, place) in places.iter_mut().enumerate().take(corners) {
                place[axis] = if corner >> axis & 1 == 0 { low_texel } else { high_texel };
            }
        }
        let weights = coordinate::corner_weights(1 << WEIGHT, upper);
        let there = || (0..corners).filter(|&corner| weights[corner] != 0);
        Some(self.channels(|channel| {
            let numbers =
                there().map(|corner| (self.channel(places[corner], channel), weights[corner]));
            filter::channel(numbers, there().map(|corner| corner >> 2))
        }))
    }
}

/// The registers that a kernel gets of four words: the instruction may ask for halves.
fn converted(type_: TextureType, words: [u32; 4]) -> Results {
    let [x, y, z, w] = words;
    let narrow = |word: u32| u32::from(half::to_f16(f32::from_bits(word)));
    match type_ {
        TextureType::F16 => [narrow(x), narrow(y), narrow(z), narrow(w), 1],
        TextureType::F16x2 => [narrow(x) | narrow(y) << 16, narrow(z) | narrow(w) << 16, 0, 0, 1],
        _ => [x, y, z, w, 1],
    }
}
