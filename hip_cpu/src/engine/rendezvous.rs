//! Meetings of lanes of a warp, each of which brings something and gets something.
//!
//! Lanes that work together need not come to the same instruction: it is the operation and its members
//! that make a rendezvous (PTX ISA, 9.7.13, "`.sync`"). An NVIDIA H100 lets `shfl.sync` in both halves of an `if`
//! exchange values. Who has exited is not waited for.

use cpu_abi::{BarrierReduction, MatrixOperation, ShuffleKind, WARP_SIZE, WarpOperation};

use super::block::Block;
use super::matrix;

/// Lanes of a warp that are rendezvous.
pub struct Rendezvous {
    pub warp: u32,
    pub what: Operation,
    /// Lanes that are expected; for the active mask, nobody is.
    pub members: u32,
    /// Lanes that have come.
    pub arrived: u32,
    /// How often nobody else could go on since the last one came.
    pub passed_over: u32,
    inputs: Box<[Input; WARP_SIZE as usize]>,
    /// The words of a matrix operation, a row for each.
    rows: Vec<[u32; WARP_SIZE as usize]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Shuffle(ShuffleKind),
    Warp(WarpOperation),
    /// With the place of the instruction.
    ActiveMask(u64),
    /// The operation as a number.
    Matrix(u64),
    /// A barrier of the block, to which the groups of a warp come together. The input is the predicate.
    Barrier {
        id: u32,
        threads: u32,
        reduction: Option<BarrierReduction>,
        waits: bool,
    },
    /// A barrier of the cluster.
    ClusterBarrier {
        waits: bool,
    },
}

#[derive(Clone, Copy, Default)]
pub struct Input {
    pub value: u64,
    pub b: u32,
    pub c: u32,
}

impl Operation {
    /// A warp operation by its number, [`cpu_abi::MEET_SHUFFLE`] and above for shuffles.
    pub fn from_number(number: u32) -> Option<Operation> {
        if let Some(kind) = number.checked_sub(cpu_abi::MEET_SHUFFLE) {
            let known = ShuffleKind::ALL.into_iter().find(|known| *known as u32 == kind);
            return known.map(Operation::Shuffle);
        }
        let known = WarpOperation::ALL.iter().find(|(_, operation)| *operation as u32 == number);
        known.map(|(_, operation)| Operation::Warp(*operation))
    }
}

/// The index of the rendezvous that a lane can come to, opened if there is none.
pub fn open(
    open: &mut Vec<Rendezvous>,
    warp: u32,
    what: Operation,
    members: u32,
    lane: u32,
) -> usize {
    let place = open.iter().position(|rendezvous| {
        rendezvous.warp == warp
            && rendezvous.what == what
            && rendezvous.members == members
            && rendezvous.arrived & 1 << lane == 0
    });
    place.unwrap_or_else(|| {
        let inputs = Box::new([Input::default(); WARP_SIZE as usize]);
        open.push(Rendezvous {
            warp,
            what,
            members,
            arrived: 0,
            passed_over: 0,
            inputs,
            rows: vec![],
        });
        open.len() - 1
    })
}

impl Rendezvous {
    /// A lane comes, and brings this.
    pub fn arrive(&mut self, lane: u32, input: Input) {
        self.arrived |= 1 << lane;
        self.passed_over = 0;
        self.inputs[lane as usize] = input;
    }

    /// A lane comes to a matrix operation with its words.
    pub fn arrive_with_words(&mut self, lane: u32, input: Input, word: impl Fn(usize) -> u32) {
        self.arrive(lane, input);
        let Operation::Matrix(operation) = self.what else { return };
        let Some(operation) = MatrixOperation::unpack(operation) else { return };
        if self.rows.is_empty() {
            self.rows = vec![[0; WARP_SIZE as usize]; matrix::rows_of(&operation)];
        }
        let inputs = operation.words().inputs() as usize;
        for (index, row) in self.rows.iter_mut().enumerate().take(inputs) {
            row[lane as usize] = word(index);
        }
    }

    /// Whether every member has come, or has exited.
    pub fn is_complete(&self, has_exited: impl Fn(u32) -> bool) -> bool {
        !matches!(self.what, Operation::ActiveMask(_))
            && lanes(self.members & !self.arrived).all(has_exited)
    }

    /// Performs a matrix operation; returns the rows of its results, none for other operations.
    pub fn matrix(&mut self, block: &Block) -> &[[u32; WARP_SIZE as usize]] {
        let Operation::Matrix(operation) = self.what else { return &[] };
        let Some(operation) = MatrixOperation::unpack(operation) else { return &[] };
        // SAFETY: addresses are the program's own.
        unsafe {
            matrix::perform(block.context(), self.warp, self.arrived, &operation, &mut self.rows);
        }
        &self.rows[..operation.words().d as usize]
    }

    /// The operands that a lane brought.
    pub fn input(&self, lane: u32) -> Input {
        self.inputs[lane as usize]
    }

    /// The lanes that brought true.
    pub fn trues(&self) -> u32 {
        lanes(self.arrived)
            .filter(|lane| self.inputs[*lane as usize].value & 1 != 0)
            .fold(0, |mask, lane| mask | 1 << lane)
    }

    fn values(&self) -> impl Iterator<Item = u64> {
        lanes(self.arrived).map(|lane| self.inputs[lane as usize].value)
    }

    /// The lanes whose value is this one.
    fn matching(&self, value: u64) -> u32 {
        lanes(self.arrived)
            .filter(|lane| self.inputs[*lane as usize].value == value)
            .fold(0, |mask, lane| mask | 1 << lane)
    }

    /// The result of a lane; 0 for operations that give it none, or give it in rows.
    pub fn result(&self, lane: u32) -> u64 {
        let input = self.inputs[lane as usize];
        let operation = match self.what {
            Operation::Shuffle(kind) => return self.shuffled(kind, lane),
            Operation::ActiveMask(_) => return self.arrived.into(),
            Operation::Matrix(_) | Operation::Barrier { .. } | Operation::ClusterBarrier { .. } => {
                return 0;
            }
            Operation::Warp(operation) => operation,
        };
        let truth = |value: u64| value & 1 != 0;
        // A predicate alone is both the result and the predicate.
        let predicate = |value: bool| u64::from(value) << 32 | u64::from(value);
        let fold = |f: fn(u32, u32) -> u32| {
            self.values().map(|value| value as u32).reduce(f).map_or(0, u64::from)
        };
        match operation {
            WarpOperation::Sync => 0,
            WarpOperation::ActiveMask => self.arrived.into(),
            WarpOperation::VoteAll => predicate(self.values().all(truth)),
            WarpOperation::VoteAny => predicate(self.values().any(truth)),
            WarpOperation::VoteUni => {
                predicate(self.values().all(|value| truth(value) == truth(input.value)))
            }
            WarpOperation::Ballot => self.trues().into(),
            WarpOperation::MatchAny32 | WarpOperation::MatchAny64 => {
                self.matching(input.value).into()
            }
            WarpOperation::MatchAll32 | WarpOperation::MatchAll64 => {
                if self.matching(input.value) == self.arrived {
                    1 << 32 | u64::from(self.arrived)
                } else {
                    0
                }
            }
            WarpOperation::ReduxAdd => fold(u32::wrapping_add),
            WarpOperation::ReduxMinS => fold(|a, b| (a as i32).min(b as i32) as u32),
            WarpOperation::ReduxMaxS => fold(|a, b| (a as i32).max(b as i32) as u32),
            WarpOperation::ReduxMinU => fold(u32::min),
            WarpOperation::ReduxMaxU => fold(u32::max),
            WarpOperation::ReduxAnd => fold(|a, b| a & b),
            WarpOperation::ReduxOr => fold(|a, b| a | b),
            WarpOperation::ReduxXor => fold(|a, b| a ^ b),
            WarpOperation::Elect => {
                let leader = self.arrived.trailing_zeros();
                u64::from(leader) | u64::from(leader == lane) << 32
            }
        }
    }

    /// PTX ISA, `shfl.sync`, semantics.
    fn shuffled(&self, kind: ShuffleKind, lane: u32) -> u64 {
        let Input { value, b, c } = self.inputs[lane as usize];
        let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
        let last = lane & segment | clamp & !segment;
        let first = lane & segment;
        let (source, inside) = match kind {
            ShuffleKind::Up => (lane as i32 - b as i32, lane as i32 - b as i32 >= last as i32),
            ShuffleKind::Down => ((lane + b) as i32, lane + b <= last),
            ShuffleKind::Bfly => ((lane ^ b) as i32, lane ^ b <= last),
            ShuffleKind::Idx => ((first | b & !segment) as i32, first | b & !segment <= last),
        };
        if !inside {
            return value;
        }
        // A lane that is not there has no defined value.
        let present = (0..WARP_SIZE as i32).contains(&source) && self.arrived & 1 << source != 0;
        let value = if present { self.inputs[source as usize].value } else { value };
        value & 0xffff_ffff | 1 << 32
    }
}

/// The lanes of a mask.
pub fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..WARP_SIZE).filter(move |lane| mask & 1 << lane != 0)
}
