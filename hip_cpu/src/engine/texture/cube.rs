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
    let direction = scaled([x, y, z]);
    let face = face_of(direction);
    // Halves are taken, and cut towards minus infinity, before they are moved to where the face begins.
    const HALF: f64 = (1 << 20) as f64;
    let unit = |value: f32| match value.is_nan() {
        true => 0.5,
        false => (((f64::from(value) * HALF).floor() + HALF) / (2.0 * HALF)) as f32,
    };
    let [s, t] = on_face(face, direction).map(unit);
    Spot { face, s, t }
}

/// Divides by the greatest component, which makes infinities no numbers; where one by that is too small to be
/// normal, all are zero.
fn scaled(direction: [f32; 3]) -> [f32; 3] {
    let greatest =
        direction.into_iter().fold(f32::NAN, |greatest, value| greatest.max(value.abs()));
    let scale = 1.0 / greatest;
    let scale = if scale.is_subnormal() { 0.0 } else { scale };
    direction.map(|value| match scale == 0.0 || !scale.is_finite() {
        true => value * scale,
        false => value / greatest,
    })
}

fn face_of([x, y, z]: [f32; 3]) -> usize {
    let [ax, ay, az] = [x, y, z].map(|value| if value.is_nan() { -1.0 } else { value.abs() });
    let (axis, value) = if az >= ax && az >= ay {
        (2, z)
    } else if ay >= ax {
        (1, y)
    } else {
        (0, x)
    };
    2 * axis + usize::from(value < 0.0)
}

/// The components of a direction along the sides of a face.
fn on_face(face: usize, [x, y, z]: [f32; 3]) -> [f32; 2] {
    match face {
        0 => [-z, -y],
        1 => [z, -y],
        2 => [x, z],
        3 => [x, -z],
        4 => [x, -y],
        _ => [-x, -y],
    }
}

/// A step from a direction to another one, in sides of a face.
pub enum Step {
    /// On the face.
    Within([f32; 2]),
    /// To the next face: along each side of the first one the way to the edge, and the way beyond.
    Across([[f32; 2]; 2]),
    /// To the face across.
    Opposite,
}

/// The step that a slope is for who looks in a direction.
pub fn step(direction: [f32; 3], slope: [f32; 3]) -> Step {
    let number = |value: f32| if value.is_nan() { 0.0 } else { value };
    let stepped = scaled(std::array::from_fn(|axis| direction[axis] + slope[axis]));
    let from = scaled(direction);
    let (face, next) = (face_of(from), face_of(stepped));
    let place = |direction| on_face(face, direction).map(|value| f64::from(number(value)) / 2.0);
    let (from, to) = (place(from), place(stepped));
    let way = |side: usize| (to[side] - from[side]) as f32;
    if face == next {
        return Step::Within([way(0), way(1)]);
    }
    if face / 2 == next / 2 {
        return Step::Opposite;
    }
    // The axis of the next face is one of the sides, in its direction or against it.
    let mut axis = [0.0; 3];
    axis[next / 2] = if next.is_multiple_of(2) { 1.0 } else { -1.0 };
    let sides = on_face(face, axis);
    // How far the old face's axis is left, from 1/2 at the edge to -1/2 at the other one.
    let left = f64::from(number(stepped[face / 2])) / 2.0;
    let left = if face.is_multiple_of(2) { left } else { -left };
    Step::Across(std::array::from_fn(|side| {
        if sides[side] == 0.0 {
            return [way(side), 0.0];
        }
        let to_edge = 0.5 - f64::from(sides[side]) * from[side];
        [to_edge as f32, (0.5 - left) as f32]
    }))
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
