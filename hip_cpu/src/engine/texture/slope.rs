//! Levels from slopes, as an H100 computes them: by numbers of ten bits, without squares and roots.

use super::cube::Step;

/// A number of ten bits, `significand * 2^exponent`: the significand is 0, or from 512 to 1023.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Short {
    significand: u32,
    exponent: i32,
}

/// Bits of significands.
const BITS: u32 = 10;
/// 11/8 and 121/64, as significands.
const ELEVEN_8TH: u32 = 704;
const SQUARED: u32 = 968;

impl Short {
    const ZERO: Short = Short { significand: 0, exponent: 0 };

    /// Cuts to ten bits.
    fn cut(value: u64, exponent: i32) -> Short {
        let Some(top) = value.checked_ilog2() else { return Short::ZERO };
        let shift = top as i32 + 1 - BITS as i32;
        let significand = if shift < 0 { value << -shift } else { value >> shift };
        Short { significand: significand as u32, exponent: exponent + shift }
    }

    /// The magnitude of a number; numbers too small to be normal are 0, and so is what is none.
    fn of(value: f32) -> Short {
        let bits = value.to_bits() & 0x7fff_ffff;
        if bits >> 23 == 0 || value.is_nan() {
            return Short::ZERO;
        }
        Short::cut(u64::from(bits & 0x7f_ffff | 0x80_0000), (bits >> 23) as i32 - 150)
    }

    /// Rounds to nearest before it is known how long the product is, which longer ones are cut after.
    fn times(self, significand: u32, exponent: i32) -> Short {
        let product = (u64::from(self.significand * significand) + (1 << (BITS - 2))) >> (BITS - 1);
        Short::cut(product, self.exponent + exponent + BITS as i32 - 1)
    }

    /// Adds up the shifted number for each bit of the size, cut to three bits below the last one, and rounds up.
    fn times_size(self, size: usize) -> Short {
        const BELOW: u32 = 3;
        let size = Short::cut(size as u64, 0);
        let parts = (0..BITS).filter(|shift| size.significand >> (BITS - 1 - shift) & 1 != 0);
        let sum: u32 = parts.map(|shift| self.significand << BELOW >> shift).sum();
        let rounded = (sum + (1 << BELOW) - 1) >> BELOW;
        Short::cut(rounded.into(), self.exponent + size.exponent + BITS as i32 - 1)
    }

    fn scaled(self, exponent: i32) -> Short {
        Short { exponent: self.exponent + exponent, ..self }
    }

    /// The greater one, the lesser one, and how many bits lie between their units.
    fn sorted(self, other: Short) -> (Short, Short, u32) {
        let (greater, lesser) =
            if self.key() >= other.key() { (self, other) } else { (other, self) };
        let distance = if lesser.significand == 0 { 0 } else { greater.exponent - lesser.exponent };
        // Beyond this, the lesser one changes nothing.
        (greater, lesser, (distance as u32).min(2 * BITS))
    }

    /// The key that numbers are ordered by.
    fn key(self) -> (bool, i32, u32) {
        (self.significand != 0, self.exponent, self.significand)
    }

    fn plus(self, other: Short) -> Short {
        let (greater, lesser, distance) = self.sorted(other);
        let sum = (u64::from(greater.significand) << distance) + u64::from(lesser.significand);
        Short::cut(sum, greater.exponent - distance as i32)
    }

    /// The distance of two numbers. Of the lesser one, one bit below the unit of the greater one counts.
    fn minus(self, other: Short) -> Short {
        let (greater, lesser, distance) = self.sorted(other);
        let lesser = (u64::from(lesser.significand) << 1) >> distance;
        Short::cut((u64::from(greater.significand) << 1) - lesser, greater.exponent - 1)
    }

    fn max(self, other: Short) -> Short {
        if self.key() >= other.key() { self } else { other }
    }

    /// The logarithm, with eight fractional bits.
    fn log(self) -> Option<i32> {
        let place = (self.significand.checked_sub(1 << (BITS - 1))? >> 1) as usize;
        let whole = self.exponent + BITS as i32 - 1;
        Some((whole << 8) + i32::from(LOGARITHMS[place]))
    }
}

/// Longest first.
fn sorted(mut sides: [Short; 3]) -> [Short; 3] {
    sides.sort_by_key(|side| std::cmp::Reverse(side.key()));
    sides
}

/// About the length of a step with these components: the longest one, 11/32 of the next and a quarter of
/// the last.
fn length(sides: [Short; 3]) -> Short {
    let [long, middle, short] = sorted(sides);
    long.plus(middle.times(ELEVEN_8TH, -BIASED - 2).plus(short.scaled(-2)))
}

/// 11/16 of the length.
fn diagonal(sides: [Short; 3]) -> Short {
    let [long, middle, short] = sorted(sides);
    let others = middle.times(SQUARED, -BIASED - 3).plus(short.times(ELEVEN_8TH, -BIASED - 3));
    long.times(ELEVEN_8TH, -BIASED - 1).plus(others)
}

/// The exponent of the number 1, less the sign.
const BIASED: i32 = BITS as i32 - 1;

/// The level at which a step to the next thread is as long as a texel, with eight fractional bits; nothing
/// for steps of no length. Of the steps in both directions, and of 11/16 of their sum and their difference,
/// the longest one counts.
pub fn level(slopes: [[f32; 3]; 2], sizes: [usize; 3]) -> Option<i32> {
    let [along, across] = slopes.map(|slope| {
        std::array::from_fn::<_, 3, _>(|axis| Short::of(slope[axis]).times_size(sizes[axis]))
    });
    let (mut sum, mut difference) = ([Short::ZERO; 3], [Short::ZERO; 3]);
    for axis in 0..3 {
        let (plus, minus) = (along[axis].plus(across[axis]), along[axis].minus(across[axis]));
        let same = slopes[0][axis].is_sign_negative() == slopes[1][axis].is_sign_negative();
        (sum[axis], difference[axis]) = if same { (plus, minus) } else { (minus, plus) };
    }
    let steps = length(along).max(length(across));
    steps.max(diagonal(sum)).max(diagonal(difference)).log()
}

/// The same for a cube with faces of this size. Where a step leaves the face, sum and difference do not count.
pub fn level_on_cube(steps: [Step; 2], size: usize) -> Option<i32> {
    let sides = |side: f32| Short::of(side).times_size(size);
    let long = match steps {
        [Step::Within(along), Step::Within(across)] => {
            let slopes = [along, across].map(|[s, t]| [s, t, 0.0]);
            return level(slopes, [size, size, 1]);
        }
        // At least a whole side.
        [Step::Opposite, _] | [_, Step::Opposite] => return Some(i32::MAX),
        steps => steps.map(|step| match step {
            Step::Within([s, t]) => length([sides(s), sides(t), Short::ZERO]),
            Step::Across(ways) => {
                let [s, t] = ways.map(|[to, beyond]| sides(to).plus(sides(beyond)));
                length([s, t, Short::ZERO])
            }
            Step::Opposite => Short::ZERO,
        }),
    };
    long[0].max(long[1]).log()
}

/// 256 times the logarithm to the base of 2 of 1 + n/256, as an H100 has it: that of about 1 + (n + 0.48) / 256.
#[rustfmt::skip]
const LOGARITHMS: [u8; 256] = [
    0, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 18, 19, 20, 22, 23, 24, 26, 27,
    28, 30, 31, 32, 34, 35, 36, 38, 39, 40, 42, 43, 44, 45, 47, 48, 49, 50, 52, 53,
    54, 55, 57, 58, 59, 60, 62, 63, 64, 65, 66, 68, 69, 70, 71, 72, 74, 75, 76, 77,
    78, 79, 81, 82, 83, 84, 85, 86, 88, 89, 90, 91, 92, 93, 94, 95, 97, 98, 99, 100,
    101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121,
    122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136, 137, 137, 138, 139, 140, 141,
    142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161,
    162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175, 176, 177, 178, 179,
    180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193, 194, 195, 195, 196,
    197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211, 212, 213,
    214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229,
    229, 230, 231, 232, 233, 233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244,
    245, 245, 246, 247, 248, 248, 249, 250, 251, 251, 252, 253, 253, 254, 255, 255,
];

#[cfg(test)]
mod tests {
    use super::super::cube;
    use super::*;

    // Slopes and levels of an H100, of images of 512 x 512 and 1536 texels.
    #[test]
    fn levels_are_those_of_an_h100() {
        let plane = |a: f32, b: f32, c: f32, d: f32| {
            level([[a / 512.0, b / 512.0, 0.0], [c / 512.0, d / 512.0, 0.0]], [512, 512, 1])
        };
        assert_eq!(plane(18.34375, -21.875, 19.15625, -7.0625), Some(1286));
        assert_eq!(plane(-6.9296875, 15.21875, -7.296875, -17.90625), Some(1155));
        assert_eq!(plane(8.984375, -0.164_550_78, 10.65625, 10.515625), Some(1023));
        let line = |step: f32| level([[step, 0.0, 0.0], [0.0; 3]], [1536, 1, 1]);
        assert_eq!(line(683.0 / 512.0 / 256.0), Some(768));
        assert_eq!(line(685.0 / 512.0 / 256.0), Some(770));
        assert_eq!(line(0.0), None);
    }

    // Of faces of 32 texels: a step to the next face, and two to different ones.
    #[test]
    fn levels_across_edges_are_those_of_an_h100() {
        let level = |direction: [f32; 3], slopes: [[f32; 3]; 2]| {
            level_on_cube(slopes.map(|slope| cube::step(direction, slope)), 32)
        };
        let slopes = [
            [-0.002_430_495_3, -0.020_198_295, 0.183_570_8],
            [0.480_18, 0.010_856_614, 0.010_785_977],
        ];
        assert_eq!(level([0.448_854_8, 0.727_300_64, 0.846_449_14], slopes), Some(815));
        let slopes = [
            [0.013_032_963, -1.685_676_6, -0.632_245_84],
            [-0.083_829_895, 0.001_347_114_6, 1.572_403],
        ];
        assert_eq!(level([0.944_607_6, -0.387_100_93, 0.336_996_44], slopes), Some(1121));
    }
}
