//! [`Cfg`]: blocks by number, dominators, and natural loops.

use llvm_zluda::{Block, Value};
use rustc_hash::FxHashMap;

use crate::Error;

/// A natural loop.
#[derive(Debug)]
pub struct Loop {
    pub header: usize,
    /// The loop around it.
    pub parent: Option<usize>,
    /// `contains[b]`: block `b` is in this loop or in a loop inside it.
    pub contains: Vec<bool>,
    /// The loop waits for another thread, see [`super::spinning`].
    pub spins: bool,
}

/// The reachable blocks of one function, numbered in reverse postorder.
pub struct Cfg<'c> {
    pub blocks: Vec<Block<'c>>,
    pub index: FxHashMap<Block<'c>, usize>,
    /// By successor index of the terminator; a target may occur twice.
    pub successors: Vec<Vec<usize>>,
    pub predecessors: Vec<Vec<usize>>,
    pub loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub loop_of: Vec<Option<usize>>,
}

impl<'c> Cfg<'c> {
    /// Fails where a cycle has several entries; `fix-irreducible` has to run first.
    pub fn as_it_is(function: Value<'c>) -> Result<Self, Error> {
        let blocks = reverse_postorder(function.entry_block());
        let index: FxHashMap<_, _> =
            blocks.iter().enumerate().map(|(i, &block)| (block, i)).collect();
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| block.successors().iter().map(|target| index[target]).collect())
            .collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, targets) in successors.iter().enumerate() {
            for &to in targets {
                predecessors[to].push(from);
            }
        }
        let dominators = immediate_dominators(&predecessors);
        let (loops, loop_of) = natural_loops(&predecessors, &successors, &dominators)?;
        Ok(Self { blocks, index, successors, predecessors, loops, loop_of })
    }

    /// Whether a block is in a loop.
    pub fn is_in_loop(&self, block: Block<'_>, number: usize) -> bool {
        self.index.get(&block).is_some_and(|&block| self.loops[number].contains[block])
    }

    /// The instructions of a loop, and of the loops in it.
    pub fn instructions_of_loop(&self, number: usize) -> impl Iterator<Item = Value<'c>> {
        let contains = &self.loops[number].contains;
        let inside = (0..self.blocks.len()).filter(|&block| contains[block]);
        inside.flat_map(|block| self.blocks[block].instructions())
    }

    /// Whether `inner` is `outer` or lies in it; `None` is the whole function.
    pub fn is_inside(&self, mut inner: Option<usize>, outer: Option<usize>) -> bool {
        loop {
            if inner == outer {
                return true;
            }
            match inner {
                Some(number) => inner = self.loops[number].parent,
                None => return false,
            }
        }
    }
}

fn reverse_postorder(entry: Block<'_>) -> Vec<Block<'_>> {
    let mut seen = FxHashMap::default();
    let mut order = Vec::new();
    let mut stack = vec![(entry, entry.successors(), 0)];
    seen.insert(entry, ());
    while let Some((block, targets, next)) = stack.last_mut() {
        if let Some(&target) = targets.get(*next) {
            *next += 1;
            if seen.insert(target, ()).is_none() {
                stack.push((target, target.successors(), 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}

/// Dominators of a graph whose nodes are numbered in reverse postorder from node 0.
pub fn immediate_dominators(predecessors: &[Vec<usize>]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut dominators = vec![UNKNOWN; predecessors.len()];
    dominators[0] = 0;
    loop {
        let mut changed = false;
        for node in 1..predecessors.len() {
            let mut best = UNKNOWN;
            for &from in &predecessors[node] {
                if dominators[from] == UNKNOWN {
                    continue;
                }
                best = if best == UNKNOWN { from } else { common(&dominators, best, from) };
            }
            if best != dominators[node] {
                dominators[node] = best;
                changed = true;
            }
        }
        if !changed {
            return dominators;
        }
    }
}

fn common(dominators: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = dominators[a];
        }
        while b > a {
            b = dominators[b];
        }
    }
    a
}

type Loops = (Vec<Loop>, Vec<Option<usize>>);

fn natural_loops(
    predecessors: &[Vec<usize>],
    successors: &[Vec<usize>],
    dominators: &[usize],
) -> Result<Loops, Error> {
    let count = predecessors.len();
    let dominates = |a: usize, mut b: usize| {
        while b > a {
            b = dominators[b];
        }
        a == b
    };
    let mut loops: Vec<Loop> = Vec::new();
    // Outer headers come first in reverse postorder, so parents precede their children.
    for header in 0..count {
        let mut latches: Vec<usize> = Vec::new();
        for &from in &predecessors[header] {
            if from >= header {
                if !dominates(header, from) {
                    return Err(Error::Bug("a cycle with several entries was left".to_owned()));
                }
                latches.push(from);
            }
        }
        if latches.is_empty() {
            continue;
        }
        let mut contains = vec![false; count];
        contains[header] = true;
        while let Some(block) = latches.pop() {
            if !contains[block] {
                contains[block] = true;
                latches.extend(&predecessors[block]);
            }
        }
        let parent = loops.iter().rposition(|outer| outer.contains[header]);
        loops.push(Loop { header, parent, contains, spins: false });
    }
    let loop_of = (0..count).map(|block| loops.iter().rposition(|l| l.contains[block])).collect();
    debug_assert_eq!(successors.len(), count);
    Ok((loops, loop_of))
}
