//! MT19937 of Matsumoto and Nishimura (Mersenne Twister, ACM Transactions on Modeling and Computer Simulation 8 (1), 1998):
//! 8192 generators, 2^2048 steps apart. Eight values of each come in turn, in an order of their own.

use super::output::OutputBuffer;
use parking_lot::Mutex;
use std::sync::OnceLock;

const GENERATORS: usize = 8192;
/// Generators that are one part of a call.
const IN_PART: usize = 64;
/// Values that a generator gives in turn.
const ROW: usize = 8;
const WORDS: usize = 624;
const MIDDLE: usize = 397;
/// Rows of a generator that its words give.
const ROWS: usize = WORDS / ROW;

/// The next word after the state, by its words 0, 1 and 397.
#[inline(always)]
fn next(word: u32, after: u32, middle: u32) -> u32 {
    let y = (word & 0x8000_0000) | (after & 0x7fff_ffff);
    middle ^ (y >> 1) ^ ((y & 1).wrapping_neg() & 0x9908_b0df)
}

#[inline(always)]
fn temper(mut y: u32) -> u32 {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c_5680;
    y ^= (y << 15) & 0xefc6_0000;
    y ^ (y >> 18)
}

/// Which word a value is, by its row and its index there.
const WORD_OF: [[usize; ROW]; ROWS] = word_of();

/// The words are dealt to eight threads: seven at a time to each, but for one that each has had first.
const fn word_of() -> [[usize; ROW]; ROWS] {
    const FIRST: [usize; ROW] = [0, 113, 170, 283, 340, 397, 510, 567];
    let mut words = [FIRST; ROWS];
    let (mut word, mut dealt, mut row) = (1, 1, 1);
    while row < ROWS {
        if dealt < ROW && FIRST[dealt] == word {
            (word, dealt) = (word + 1, dealt + 1);
        }
        let mut i = 0;
        while i < 56 {
            words[row + i % 7][i / 7] = word + i;
            i += 1;
        }
        (word, row) = (word + 56, row + 7);
    }
    words
}

struct State {
    words: Box<[u32; WORDS]>,
    /// How often the words were replaced.
    rounds: u64,
}

impl State {
    fn advance(&mut self) {
        let words = &mut self.words;
        for i in 0..WORDS - MIDDLE {
            words[i] = next(words[i], words[i + 1], words[i + MIDDLE]);
        }
        for i in WORDS - MIDDLE..WORDS - 1 {
            words[i] = next(words[i], words[i + 1], words[i + MIDDLE - WORDS]);
        }
        words[WORDS - 1] = next(words[WORDS - 1], words[0], words[MIDDLE - 1]);
        self.rounds += 1;
    }
}

/// The states of a part's generators.
type Part = OnceLock<Mutex<Vec<State>>>;

/// All generators. Their states are made as far as values are asked for.
pub struct Generators {
    parts: Vec<Part>,
    /// The parts that were made, and the state of the generator that comes next.
    made: Mutex<(usize, Box<[u32; WORDS]>)>,
}

impl Generators {
    pub fn new(seed: u32) -> Self {
        let parts = (0..GENERATORS / IN_PART).map(|_| OnceLock::new()).collect();
        Generators { parts, made: Mutex::new((0, Box::new(jump::seeded(seed)))) }
    }

    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    fn part(&self, part: usize) -> &Mutex<Vec<State>> {
        if self.parts[part].get().is_none() {
            let mut made = self.made.lock();
            while made.0 <= part {
                let mut states = Vec::with_capacity(IN_PART);
                for _ in 0..IN_PART {
                    let next = Box::new(jump::jump(&made.1));
                    let words = std::mem::replace(&mut made.1, next);
                    states.push(State { words, rounds: 0 });
                }
                let _ = self.parts[made.0].set(Mutex::new(states));
                made.0 += 1;
            }
        }
        self.parts[part].get_or_init(Mutex::default)
    }

    /// Fills the places of a part's generators in a call that begins at a position.
    #[inline(always)]
    pub fn fill<T: Copy>(
        &self,
        part: usize,
        position: u64,
        output: OutputBuffer<T>,
        value: impl Fn(u32) -> T,
    ) {
        const WHOLE: u64 = (GENERATORS * ROW) as u64;
        let end = position + output.length() as u64;
        let rows = position / WHOLE..end.div_ceil(WHOLE);
        let start = |row: u64, generator: usize| row * WHOLE + (generator * ROW) as u64;
        let first = part * IN_PART;
        let has_values = |row| start(row, first) < end && start(row, first + IN_PART) > position;
        if !rows.clone().any(has_values) {
            return;
        }
        for (i, state) in self.part(part).lock().iter_mut().enumerate() {
            for row in rows.clone() {
                let start = start(row, first + i);
                if start >= end || start + ROW as u64 <= position {
                    continue;
                }
                while state.rounds <= row / ROWS as u64 {
                    state.advance();
                }
                for (column, word) in WORD_OF[(row % ROWS as u64) as usize].iter().enumerate() {
                    let index = (start + column as u64).wrapping_sub(position) as usize;
                    output.put_one(index, value(temper(state.words[*word])));
                }
            }
        }
    }
}

#[path = "mt19937_jump.rs"]
mod jump;
