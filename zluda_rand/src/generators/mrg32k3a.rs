//! MRG32k3a of L'Ecuyer (Good parameters and implementations for combined multiple recursive random number generators,
//! Operations Research 47 (1), 1999): streams 2^76 steps apart. Draws are the generator's own, from 1 to the first modulus.

use super::lanes::{Chunk, LANES, Lanes};

/// Streams in the default order, and in that of the first versions.
pub const STREAMS: usize = 81_920;
pub const LEGACY_STREAMS: usize = 4096;
const M1: u64 = 4_294_967_087;
const M2: u64 = 4_294_944_443;
const A12: u64 = 1_403_580;
const A13: u64 = 810_728;
const A21: u64 = 527_612;
const A23: u64 = 1_370_589;
/// Steps between streams, as a power of two.
const APART: u32 = 76;

type Matrix = [[u64; 3]; 3];
type State = [u64; 3];

fn multiply(a: &Matrix, b: &Matrix, modulus: u64) -> Matrix {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            (0..3).fold(0, |sum, k| (sum + a[i][k] * b[k][j] % modulus) % modulus)
        })
    })
}

fn apply(matrix: &Matrix, state: &State, modulus: u64) -> State {
    std::array::from_fn(|i| {
        (0..3).fold(0, |sum, k| (sum + matrix[i][k] * state[k] % modulus) % modulus)
    })
}

/// One of the two recurrences, as a matrix and its modulus.
fn steps() -> [(Matrix, u64); 2] {
    [
        ([[0, 1, 0], [0, 0, 1], [M1 - A13, A12, 0]], M1),
        ([[0, 1, 0], [0, 0, 1], [M2 - A23, 0, A21]], M2),
    ]
}

/// The states of streams that lie beside each other.
#[derive(Clone, Copy)]
pub struct Streams {
    first: [[u64; LANES]; 3],
    second: [[u64; LANES]; 3],
}

impl Chunk for Streams {
    #[inline(always)]
    fn draw(&mut self) -> [u32; LANES] {
        const LOW: u64 = 0xffff_ffff;
        let ([a0, a1, a2], [b0, b1, b2]) = (self.first, self.second);
        let (mut first, mut second) = ([0; LANES], [0; LANES]);
        let mut values = [0; LANES];
        for lane in 0..LANES {
            // The moduli are 2^32 less a little: the upper half counts as so much more of the lower.
            let mut x = A12 * a1[lane] + A13 * (M1 - a0[lane]);
            x = (x >> 32) * ((1 << 32) - M1) + (x & LOW);
            x = if x >= M1 { x - M1 } else { x };
            let mut y = A21 * b2[lane] + A23 * (M2 - b0[lane]);
            y = (y >> 32) * ((1 << 32) - M2) + (y & LOW);
            y = (y >> 32) * ((1 << 32) - M2) + (y & LOW);
            y = if y >= M2 { y - M2 } else { y };
            (first[lane], second[lane]) = (x, y);
            values[lane] = (if x <= y { x + M1 - y } else { x - y }) as u32;
        }
        self.first = [a1, a2, first];
        self.second = [b1, b2, second];
        values
    }

    fn take(&mut self, from: &Self, lane: usize) {
        for word in 0..3 {
            self.first[word][lane] = from.first[word][lane];
            self.second[word][lane] = from.second[word][lane];
        }
    }
}

/// The streams from a position on.
pub fn streams(seed: u64, position: u64, streams: usize) -> Lanes<Streams> {
    const START: u64 = 12_345;
    let [(one, m1), (two, m2)] = steps();
    let mut state = ([START; 3], [START; 3]);
    if seed != 0 {
        let low = seed & 0xffff_ffff ^ 0x5555_5555;
        let high = seed >> 32 ^ 0xaaaa_aaaa;
        state.0 = [low, high, low].map(|word| word * START % m1);
        state.1 = [high, low, high].map(|word| word * START % m2);
    }
    let power = |matrix, modulus| (0..APART).fold(matrix, |m, _| multiply(&m, &m, modulus));
    let apart = (power(one, m1), power(two, m2));
    let next = |(a, b): &(State, State)| Some((apply(&apart.0, a, m1), apply(&apart.1, b, m2)));
    let mut states: Vec<(State, State)> =
        std::iter::successors(Some(state), next).take(streams).collect();

    let (rows, more) = (position / streams as u64, (position % streams as u64) as usize);
    let mut skip = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    let mut square = (one, two);
    for bit in 0..64 {
        if rows >> bit & 1 == 1 {
            skip = (multiply(&skip.0, &square.0, m1), multiply(&skip.1, &square.1, m2));
        }
        square = (multiply(&square.0, &square.0, m1), multiply(&square.1, &square.1, m2));
    }
    for (i, (a, b)) in states.iter_mut().enumerate() {
        if rows != 0 {
            (*a, *b) = (apply(&skip.0, a, m1), apply(&skip.1, b, m2));
        }
        if i < more {
            (*a, *b) = (apply(&one, a, m1), apply(&two, b, m2));
        }
    }
    let chunks: Vec<Streams> = states
        .chunks(LANES)
        .map(|states| Streams {
            first: std::array::from_fn(|word| std::array::from_fn(|i| states[i].0[word])),
            second: std::array::from_fn(|word| std::array::from_fn(|i| states[i].1[word])),
        })
        .collect();
    Lanes::new(&chunks)
}
