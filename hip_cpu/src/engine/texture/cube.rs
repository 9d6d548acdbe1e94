//! Directions to faces of a cube.

/// A face, and where the direction meets it, from 0 to 1.
pub struct Spot {
    pub face: usize,
    pub s: f32,
    pub t: f32,
}

/// The face of the component of greatest magnitude; the later axis wins a tie. Infinite components are as good
/// as none, and what is not a number counts less than 0.
pub fn spot(x: f32, y: f32, z: f32) -> Spot {
    // The direction is divided by its greatest component first, which makes infinities no numbers.
    let greatest = x.abs().max(y.abs()).max(z.abs());
    let scaled = |value: f32| {
        let scale = 1.0 / greatest;
        if scale == 0.0 || !scale.is_finite() { value * scale } else { value / greatest }
    };
    let [x, y, z] = [x, y, z].map(scaled);
    let [ax, ay, az] = [x, y, z].map(|value| if value.is_nan() { -1.0 } else { value.abs() });
    let (face, s, t) = if az >= ax && az >= ay {
        if z < 0.0 { (5, -x, -y) } else { (4, x, -y) }
    } else if ay >= ax {
        if y < 0.0 { (3, x, -z) } else { (2, x, z) }
    } else if x < 0.0 {
        (1, z, -y)
    } else {
        (0, -z, -y)
    };
    // Halves are taken, and cut towards minus infinity, before they are moved to where the face begins.
    const HALF: f64 = (1 << 20) as f64;
    let unit = |value: f32| match value.is_nan() {
        true => 0.5,
        false => (((f64::from(value) * HALF).floor() + HALF) / (2.0 * HALF)) as f32,
    };
    Spot { face, s: unit(s), t: unit(t) }
}

/// Where a direction meets the plane of a face, in sides from its middle.
pub fn on_plane(face: usize, direction: [f32; 3]) -> [f64; 2] {
    let [x, y, z] = direction.map(f64::from);
    let (major, s, t) = match face {
        0 => (x, -z, -y),
        1 => (x, z, -y),
        2 => (y, x, z),
        3 => (y, x, -z),
        4 => (z, x, -y),
        _ => (z, -x, -y),
    };
    [s, t].map(|value| value / (2.0 * major.abs()))
}

/// The direction of a point of a face's plane, whose sides go from -1 to 1, scaled by `half`.
fn direction(face: usize, s: i64, t: i64, half: i64) -> [i64; 3] {
    match face {
        0 => [half, -t, -s],
        1 => [-half, -t, s],
        2 => [s, half, t],
        3 => [s, -half, -t],
        4 => [s, -t, half],
        _ => [-s, -t, -half],
    }
}

/// The texel next to a face's edge: on the face that shares the edge. `None` beyond a corner, where
/// three faces meet and there is no texel.
pub fn neighbour(face: usize, x: i64, y: i64, size: i64) -> Option<(usize, usize, usize)> {
    let outside = |value: i64| value < 0 || value >= size;
    if outside(x) && outside(y) {
        return None;
    }
    if !outside(x) && !outside(y) {
        return Some((face, usize::try_from(x).ok()?, usize::try_from(y).ok()?));
    }
    // Twice the distance from the face's middle, so that centres of texels are whole; a texel beyond the
    // edge lies as far down on the next face as it was beyond.
    let (s, t) = (2 * x + 1 - size, 2 * y + 1 - size);
    let [dx, dy, dz] = direction(face, s, t, size);
    let fold = |value: i64| value.clamp(-(size - 1), size - 1);
    // The component that went beyond becomes the major axis; the old one is one texel from the edge.
    let components = [dx, dy, dz];
    let beyond = components.iter().position(|value| value.abs() > size)?;
    let old = components.iter().position(|value| value.abs() == size)?;
    let sign = components[beyond].signum();
    let mut folded = components.map(fold);
    folded[beyond] = sign * size;
    folded[old] = components[old].signum() * (size - 1);
    let [x, y, z] = folded;
    let (face, s, t) = match (beyond, sign) {
        (0, 1) => (0, -z, -y),
        (0, _) => (1, z, -y),
        (1, 1) => (2, x, z),
        (1, _) => (3, x, -z),
        (2, 1) => (4, x, -y),
        _ => (5, -x, -y),
    };
    let texel = |value: i64| usize::try_from((value + size - 1) / 2).ok();
    Some((face, texel(s)?, texel(t)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_meet_their_faces() {
        let at = |x, y, z| {
            let spot = spot(x, y, z);
            (spot.face, spot.s, spot.t)
        };
        assert_eq!(at(1.0, 0.0, 0.0), (0, 0.5, 0.5));
        assert_eq!(at(-1.0, 0.5, 0.0), (1, 0.5, 0.25));
        assert_eq!(at(0.0, 2.0, 1.0), (2, 0.5, 0.75));
        assert_eq!(at(0.0, 0.0, -3.0), (5, 0.5, 0.5));
    }

    #[test]
    fn edges_are_shared() {
        // Stepping over an edge and back again ends where it began.
        for face in 0..6 {
            for (x, y) in [(-1, 2), (4, 1), (0, -1), (3, 4)] {
                let (other, ox, oy) = neighbour(face, x, y, 4).unwrap();
                assert_ne!(other, face);
                let inside = (x.clamp(0, 3) as usize, y.clamp(0, 3) as usize);
                let steps = [(-1, 0), (1, 0), (0, -1), (0, 1)];
                let back = steps.iter().any(|(dx, dy)| {
                    neighbour(other, ox as i64 + dx, oy as i64 + dy, 4)
                        == Some((face, inside.0, inside.1))
                });
                assert!(back, "face {face} ({x}, {y}) to {other} ({ox}, {oy})");
            }
        }
        assert_eq!(neighbour(0, -1, -1, 4), None);
    }
}
