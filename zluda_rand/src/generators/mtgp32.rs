//! MTGP32 of Saito and Matsumoto (Variants of Mersenne Twister suitable for graphic processors, ACM Transactions on
//! Mathematical Software 39 (2), 2013): generators with parameters of their own, each of which gives 256 values in turn.

use super::mtgp32_parameters::PARAMETERS;
use super::output::OutputBuffer;
use parking_lot::Mutex;

/// Generators in the default order, and in that of the first versions.
pub const GENERATORS: usize = 192;
pub const LEGACY_GENERATORS: usize = 64;
/// Values that a generator gives in turn.
const ROW: usize = 256;
/// Words of the state.
const WORDS: usize = 351;
/// The bits of a word that the recursion takes.
const MASK: u32 = 0xfff8_0000;

/// The parameters of one generator. The tables of 16 are sums of their four.
pub struct Parameters {
    pub position: usize,
    pub shift_left: u32,
    pub shift_right: u32,
    pub recursion: [u32; 4],
    pub tempering: [u32; 4],
}

fn table(four: [u32; 4]) -> [u32; 16] {
    std::array::from_fn(|i| {
        (0..4).fold(0, |sum, bit| sum ^ if i >> bit & 1 == 1 { four[bit] } else { 0 })
    })
}

/// A generator.
struct State {
    /// The last words, from where the next row's first word takes.
    words: [u32; WORDS + ROW],
    /// The rows that were made, and the last of them.
    rows: u64,
    values: [u32; ROW],
}

impl State {
    fn new(parameters: &Parameters, seed: u32) -> State {
        let hidden = table(parameters.recursion)[4] ^ (table(parameters.recursion)[8] << 16);
        let mut fill = hidden.wrapping_add(hidden >> 16);
        fill = fill.wrapping_add(fill >> 8) & 0xff;
        let mut words = [0; WORDS + ROW];
        words[..WORDS].fill(fill * 0x0101_0101);
        (words[0], words[1]) = (seed, hidden);
        for i in 1..WORDS {
            let before = words[i - 1];
            words[i] ^=
                1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(i as u32);
        }
        State { words, rows: 0, values: [0; ROW] }
    }

    /// Makes the next row.
    fn advance(&mut self, parameters: &Parameters) {
        let (recursion, tempering) = (table(parameters.recursion), table(parameters.tempering));
        let position = parameters.position;
        for i in 0..ROW {
            let mut x = (self.words[i] & MASK) ^ self.words[i + 1];
            x ^= x << parameters.shift_left;
            let y = x ^ (self.words[i + position] >> parameters.shift_right);
            let word = y ^ recursion[(y & 15) as usize];
            self.words[i + WORDS] = word;
            let mut t = self.words[i + position - 1];
            t ^= t >> 16;
            t ^= t >> 8;
            self.values[i] = word ^ tempering[(t & 15) as usize];
        }
        self.words.copy_within(ROW.., 0);
        self.rows += 1;
    }
}

/// All generators.
pub struct Generators(Vec<Mutex<State>>);

impl Generators {
    pub fn new(seed: u64, generators: usize) -> Self {
        let seed = seed as u32 ^ (seed >> 32) as u32;
        let state = |(i, parameters): (usize, &Parameters)| {
            Mutex::new(State::new(parameters, seed.wrapping_add(i as u32 + 1)))
        };
        Generators(PARAMETERS.iter().take(generators).enumerate().map(state).collect())
    }

    pub fn parts(&self) -> usize {
        self.0.len()
    }

    /// Fills the places of a generator in a call that begins at a position.
    #[inline(always)]
    pub fn fill<T: Copy>(
        &self,
        part: usize,
        position: u64,
        output: OutputBuffer<T>,
        value: impl Fn(u32) -> T,
    ) {
        let whole = (self.0.len() * ROW) as u64;
        let end = position + output.length() as u64;
        let mut state = self.0[part].lock();
        for row in position / whole..end.div_ceil(whole) {
            let start = row * whole + (part * ROW) as u64;
            if start >= end || start + ROW as u64 <= position {
                continue;
            }
            while state.rows <= row {
                state.advance(&PARAMETERS[part]);
            }
            for (i, draw) in state.values.iter().enumerate() {
                // What lies before the call is outside of the output, as what lies behind it.
                output.put_one((start + i as u64).wrapping_sub(position) as usize, value(*draw));
            }
        }
    }
}
