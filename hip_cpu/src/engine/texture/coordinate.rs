//! From coordinates to the numbers of texels and the weights of filters.

use hip_host::core::texture::Address;

/// Fractional bits of coordinates in fixed point.
const FRACTION: u32 = 21;
/// Fractional bits of weights.
pub const WEIGHT: u32 = 8;
/// Coordinates beyond this, in the unit they are given in, are as good as it.
const FARTHEST: f64 = (1_u64 << 36) as f64;

/// A coordinate along one axis, in texels, with [`FRACTION`] fractional bits.
#[derive(Clone, Copy, Debug)]
pub struct Fixed(i64);

/// One axis of a sampled level.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    pub size: i64,
    pub address: Address,
}

/// Of numbers that an `i64` holds. Without SSE 4.1 `f64::floor` is a call.
fn floor(number: f64) -> i64 {
    let cut = number as i64;
    cut - i64::from(cut as f64 > number)
}

impl Fixed {
    /// Not a number is 0, and so are numbers too small to be normal.
    pub fn new(coordinate: f32, size: i64, normalized: bool) -> Fixed {
        let coordinate =
            if coordinate.is_normal() || coordinate.is_infinite() { coordinate } else { 0.0 };
        let coordinate = f64::from(coordinate).clamp(-FARTHEST, FARTHEST);
        let fixed = floor(coordinate * f64::from(1 << FRACTION));
        Fixed(if normalized { fixed.saturating_mul(size) } else { fixed })
    }

    /// The texel that the coordinate lies in, as if the image had no end.
    pub fn nearest(self) -> i64 {
        self.0 >> FRACTION
    }

    /// The lower one of the two texels whose centres the coordinate lies between, and the upper one's
    /// weight of 256.
    pub fn between(self) -> (i64, i64) {
        const SHIFT: u32 = FRACTION - WEIGHT;
        let from_centre = self.0.saturating_sub(1 << (FRACTION - 1));
        let rounded = from_centre.saturating_add(1 << (SHIFT - 1)) >> SHIFT;
        (rounded >> WEIGHT, rounded & ((1 << WEIGHT) - 1))
    }
}

/// The weights of 256 of the corners of a filter, of which bit 0 says upper or lower in x, bit 1 in y and
/// bit 2 in z, from the upper weights of the axes. `whole` is shared out: along z, then along x, then along
/// y; the parts that are rounded are those of the lower slice, of the upper side in x, and in y those of the
/// corners where x and y are both upper or both lower.
pub fn corner_weights(whole: i64, [x, y, z]: [i64; 3]) -> [i64; 8] {
    const ONE: i64 = 1 << WEIGHT;
    let part = |whole: i64, of: i64| (whole * of + ONE / 2) >> WEIGHT;
    let slice = |whole: i64| {
        let upper = part(whole, x);
        let lower = whole - upper;
        let (both_lower, both_upper) = (part(lower, ONE - y), part(upper, y));
        [both_lower, upper - both_upper, lower - both_lower, both_upper]
    };
    let lower = part(whole, ONE - z);
    let (back, front) = (slice(lower), slice(whole - lower));
    std::array::from_fn(|corner| if corner < 4 { back[corner] } else { front[corner - 4] })
}

impl Axis {
    /// [`Fixed::between`], of coordinates that clamping has moved into the image.
    pub fn between(&self, coordinate: Fixed) -> (i64, i64) {
        let (low, weight) = coordinate.between();
        match self.address {
            Address::Clamp if low < 0 => (0, 0),
            Address::Clamp if low >= self.size - 1 => (self.size - 1, 0),
            _ => (low, weight),
        }
    }

    /// The number of the texel of the image, or nothing where the border is.
    pub fn texel(&self, texel: i64) -> Option<usize> {
        let size = self.size;
        if (0..size).contains(&texel) {
            return usize::try_from(texel).ok();
        }
        let inside = match self.address {
            Address::Wrap => texel.rem_euclid(size),
            Address::Clamp => texel.clamp(0, size - 1),
            Address::Mirror => {
                let folded = texel.rem_euclid(2 * size);
                folded.min(2 * size - 1 - folded)
            }
            Address::Border => return None,
        };
        usize::try_from(inside).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_found_in_all_modes() {
        let of = |address| {
            let axis = Axis { size: 3, address };
            [-4, -1, 0, 2, 3, 5].map(|texel| axis.texel(texel))
        };
        assert_eq!(of(Address::Wrap), [2, 2, 0, 2, 0, 2].map(Some));
        assert_eq!(of(Address::Clamp), [0, 0, 0, 2, 2, 2].map(Some));
        assert_eq!(of(Address::Mirror), [2, 0, 0, 2, 2, 0].map(Some));
        assert_eq!(of(Address::Border), [None, None, Some(0), Some(2), None, None]);
    }

    #[test]
    fn corners_share_the_weight_as_on_an_h100() {
        assert_eq!(corner_weights(256, [128, 41, 0]), [108, 107, 20, 21, 0, 0, 0, 0]);
        assert_eq!(corner_weights(256, [167, 128, 47]), [37, 68, 36, 68, 8, 15, 8, 16]);
        assert_eq!(corner_weights(128, [0, 105, 209]), [14, 0, 10, 0, 61, 0, 43, 0]);
    }

    #[test]
    fn weights_are_rounded_to_nearest() {
        assert_eq!(Fixed::new(1.0, 4, false).between(), (0, 128));
        assert_eq!(Fixed::new(0.5 + 1.0 / 512.0, 4, false).between(), (0, 1));
    }
}
