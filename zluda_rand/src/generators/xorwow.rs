//! XORWOW of Marsaglia (Xorshift RNGs, Journal of Statistical Software 8 (14), 2003): 4096 streams.

use super::lanes::{Chunk, LANES, Lanes};

pub const STREAMS: usize = 4096;
/// The increment of the counter at each step.
const WEYL: u32 = 362_437;
/// Steps between streams, as a power of two.
const APART: u32 = 67;
/// The difference between the seeds of streams that are seeded one by one.
const SEEDS_APART: u64 = 3_133_713;

/// The state of a stream.
#[derive(Clone, Copy)]
struct State {
    shifted: [u32; 5],
    counter: u32,
}

impl State {
    fn new(seed: u64) -> State {
        let low = 1_099_087_573u32.wrapping_mul(seed as u32 ^ 0xaad2_6b49);
        let high = 2_591_861_531u32.wrapping_mul((seed >> 32) as u32 ^ 0xf7dc_efdd);
        State {
            shifted: [
                123_456_789u32.wrapping_add(low),
                362_436_069 ^ low,
                521_288_629u32.wrapping_add(high),
                88_675_123 ^ high,
                5_783_321u32.wrapping_add(low),
            ],
            counter: 6_615_241u32.wrapping_add(low).wrapping_add(high),
        }
    }
}

/// The linear part of so many steps: what becomes of each bit of the state.
#[derive(Clone)]
struct Jump(Vec<[u32; 5]>);

impl Jump {
    fn one() -> Jump {
        let step = |bit: usize| {
            let mut v = [0u32; 5];
            v[bit / 32] = 1 << (bit % 32);
            let t = v[0] ^ (v[0] >> 2);
            [v[1], v[2], v[3], v[4], v[4] ^ (v[4] << 4) ^ t ^ (t << 1)]
        };
        Jump((0..160).map(step).collect())
    }

    fn apply(&self, state: [u32; 5]) -> [u32; 5] {
        let mut result = [0; 5];
        for (bit, image) in self.0.iter().enumerate() {
            let mask = (state[bit / 32] >> (bit % 32) & 1).wrapping_neg();
            for (word, image) in result.iter_mut().zip(image) {
                *word ^= image & mask;
            }
        }
        result
    }

    fn twice(&self) -> Jump {
        Jump(self.0.iter().map(|image| self.apply(*image)).collect())
    }

    /// `2^power` steps.
    fn power(power: u32) -> Jump {
        (0..power).fold(Jump::one(), |jump, _| jump.twice())
    }
}

/// The states of streams that lie beside each other.
#[derive(Clone, Copy)]
pub struct Streams {
    shifted: [[u32; LANES]; 5],
    counter: [u32; LANES],
}

impl Chunk for Streams {
    #[inline(always)]
    fn draw(&mut self) -> [u32; LANES] {
        let [v0, v1, v2, v3, v4] = self.shifted;
        let mut next = [0; LANES];
        let mut values = [0; LANES];
        for lane in 0..LANES {
            let t = v0[lane] ^ (v0[lane] >> 2);
            next[lane] = v4[lane] ^ (v4[lane] << 4) ^ t ^ (t << 1);
            self.counter[lane] = self.counter[lane].wrapping_add(WEYL);
            values[lane] = next[lane].wrapping_add(self.counter[lane]);
        }
        self.shifted = [v1, v2, v3, v4, next];
        values
    }

    fn take(&mut self, from: &Self, lane: usize) {
        for (to, from) in self.shifted.iter_mut().zip(from.shifted) {
            to[lane] = from[lane];
        }
        self.counter[lane] = from.counter[lane];
    }
}

/// The streams from a position on. `seeded` ones have a seed each; else they are 2^67 steps apart.
pub fn streams(seed: u64, position: u64, seeded: bool) -> Lanes<Streams> {
    let mut states: Vec<State> = if seeded {
        (0..STREAMS as u64)
            .map(|i| State::new(seed.wrapping_add(SEEDS_APART.wrapping_mul(i))))
            .collect()
    } else {
        let jump = Jump::power(APART);
        let next = |state: &State| Some(State { shifted: jump.apply(state.shifted), ..*state });
        std::iter::successors(Some(State::new(seed)), next).take(STREAMS).collect()
    };
    skip(&mut states, position);
    let chunks: Vec<Streams> = states
        .chunks(LANES)
        .map(|states| Streams {
            shifted: std::array::from_fn(|word| std::array::from_fn(|i| states[i].shifted[word])),
            counter: std::array::from_fn(|i| states[i].counter),
        })
        .collect();
    Lanes::new(&chunks)
}

/// Steps all streams to a position of the whole sequence.
fn skip(states: &mut [State], position: u64) {
    let (rows, more) = (position / STREAMS as u64, (position % STREAMS as u64) as usize);
    let mut jump = Jump::one();
    for state in &mut states[..more] {
        state.shifted = jump.apply(state.shifted);
        state.counter = state.counter.wrapping_add(WEYL);
    }
    for bit in 0..64 - rows.leading_zeros() {
        if bit != 0 {
            jump = jump.twice();
        }
        if rows >> bit & 1 == 1 {
            for state in states.iter_mut() {
                state.shifted = jump.apply(state.shifted);
            }
        }
    }
    for state in states {
        state.counter = state.counter.wrapping_add(WEYL.wrapping_mul(rows as u32));
    }
}
