//! [`Divergence`]: the shape of every value, and where lanes part.
//!
//! Two questions depend on each other and are answered together, optimistically, to a fixed point: which
//! values differ between lanes, and which blocks are entered by only a part of the lanes that entered
//! their dominator.

use llvm_zluda::{Block, Opcode, Value};
use rustc_hash::FxHashMap;

use super::cfg::Cfg;
use super::level::{Level, Levels, Node, edges, level_of};
use super::shape::{Shape, ShapeRules};

/// The facts about the nodes of one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelFacts {
    /// Lanes that leave the node together may go to different places.
    pub divergent: Vec<bool>,
    /// Only a part of the lanes that were in the node's dominator may come here.
    pub partial: Vec<bool>,
    /// Lanes come here from different predecessors at once, so phis blend. One more for the sink.
    pub joins: Vec<bool>,
    /// All lanes that entered the level are here.
    pub whole: Vec<bool>,
}

pub struct Divergence<'c> {
    pub shapes: FxHashMap<Value<'c>, Shape>,
    pub facts: Vec<LevelFacts>,
    /// Lanes leave the loop at different times or by different exits.
    pub divergent_loop: Vec<bool>,
}

impl<'c> Divergence<'c> {
    /// Analyses a function; `levels` are those of `cfg`.
    pub fn new(cfg: &Cfg<'c>, levels: &Levels, rules: &ShapeRules<'_, 'c>) -> Self {
        let mut this = Self {
            shapes: FxHashMap::default(),
            facts: levels.levels.iter().map(|level| LevelFacts::new(level.nodes.len())).collect(),
            divergent_loop: vec![false; cfg.loops.len()],
        };
        let of_block = |block: &Block<'c>| {
            let mut values = block.instructions();
            values.retain(|value| !value.ty().is_void());
            values
        };
        let values: Vec<_> = cfg.blocks.iter().map(of_block).collect();
        loop {
            this.propagate(cfg, levels, rules, &values);
            let before = (this.facts.clone(), this.divergent_loop.clone());
            this.part_lanes(cfg, levels, rules);
            if before == (this.facts.clone(), this.divergent_loop.clone()) {
                return this;
            }
        }
    }

    /// The shape of a value of the function; uniform for constants.
    pub fn shape(&self, value: Value<'c>) -> Shape {
        if value.is_constant() {
            return Shape::UNIFORM;
        }
        self.shapes.get(&value).copied().unwrap_or(Shape::Unknown)
    }

    /// `values` are those of each block.
    fn propagate(
        &mut self,
        cfg: &Cfg<'c>,
        levels: &Levels,
        rules: &ShapeRules<'_, 'c>,
        values: &[Vec<Value<'c>>],
    ) {
        loop {
            let mut changed = false;
            for (number, values) in values.iter().enumerate() {
                for &instruction in values {
                    let old = self.shape(instruction);
                    // Nothing comes behind that.
                    if old == Shape::Varying {
                        continue;
                    }
                    let new = if instruction.opcode() == Opcode::LLVMPHI {
                        self.phi(cfg, levels, number, instruction)
                    } else {
                        rules.instruction(instruction, &|value| self.shape_of(rules, value))
                    };
                    let new = old.meet(new);
                    if new != old {
                        self.shapes.insert(instruction, new);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn shape_of(&self, rules: &ShapeRules<'_, 'c>, value: Value<'c>) -> Shape {
        if value.is_argument() { rules.argument(value) } else { self.shape(value) }
    }

    fn phi(&self, cfg: &Cfg<'c>, levels: &Levels, block: usize, phi: Value<'c>) -> Shape {
        let incoming = phi.incoming();
        let shape = incoming.iter().fold(Shape::Unknown, |shape, (value, _)| {
            let of_value = if value.is_argument() {
                Shape::Varying
            } else if value.is_undef_or_poison() {
                Shape::Unknown
            } else {
                self.shape(*value)
            };
            shape.meet(of_value)
        });
        let home = cfg.loop_of[block];
        if home.is_some_and(|number| cfg.loops[number].header == block) {
            return shape;
        }
        // A value of a loop that lanes leave at different times.
        let late = incoming.iter().any(|(_, from)| {
            let Some(&from) = cfg.index.get(from) else { return false };
            let mut inner = cfg.loop_of[from];
            while inner != home {
                let Some(number) = inner else { return false };
                if self.divergent_loop[number] {
                    return true;
                }
                inner = cfg.loops[number].parent;
            }
            false
        });
        let same = incoming.iter().all(|(value, _)| *value == incoming[0].0 && value.is_constant());
        if same || !(late || self.facts[level_of(home)].joins[levels.block_node[block]]) {
            return shape;
        }
        if shape == Shape::Unknown { shape } else { Shape::Varying }
    }

    /// Recomputes where lanes part, from inner loops to outer ones.
    fn part_lanes(&mut self, cfg: &Cfg<'c>, levels: &Levels, rules: &ShapeRules<'_, 'c>) {
        for of in (0..cfg.loops.len()).rev().map(Some).chain(std::iter::once(None)) {
            let level = &levels.levels[level_of(of)];
            let divergent = level
                .nodes
                .iter()
                .map(|&node| match node {
                    Node::Loop(inner) => self.divergent_loop[inner],
                    Node::Block(block) => cfg.blocks[block]
                        .terminator()
                        .filter(|terminator| terminator.opcode() == Opcode::LLVMBr)
                        .and_then(Value::condition)
                        .is_some_and(|condition| {
                            !self.shape_of(rules, condition).is_uniform_or_unknown()
                        }),
                })
                .collect();
            let facts = LevelFacts::from_divergent(level, divergent);
            if let Some(number) = of {
                let contains = &cfg.loops[number].contains;
                self.divergent_loop[number] = level.nodes.iter().enumerate().any(|(n, &node)| {
                    let edges = edges(cfg, node);
                    // Without an edge lanes end there, though all together: a loop that waits holds what follows
                    // it, and has to be told who is left.
                    edges.is_empty()
                        || (facts.divergent[n] || !facts.whole[n])
                            && edges.iter().any(|edge| !contains[edge.to])
                });
            }
            self.facts[level_of(of)] = facts;
        }
    }
}

impl LevelFacts {
    fn new(nodes: usize) -> Self {
        Self {
            divergent: vec![false; nodes],
            partial: vec![false; nodes],
            joins: vec![false; nodes + 1],
            whole: vec![true; nodes],
        }
    }

    /// The facts about a level of whose nodes some send lanes to several others.
    pub(super) fn from_divergent(level: &Level, divergent: Vec<bool>) -> Self {
        let count = level.nodes.len();
        let mut facts = Self::new(count);
        for (branch, _) in divergent.iter().enumerate().filter(|(_, divergent)| **divergent) {
            if level.successors[branch].len() < 2 {
                continue;
            }
            // The nodes between the branch and the place where its lanes are together again.
            let end = level.post_dominator[branch];
            facts.joins[end] = true;
            let mut inside = vec![false; count + 1];
            let mut stack = vec![branch];
            while let Some(node) = stack.pop() {
                for &to in &level.successors[node] {
                    if to != end && to < count && !inside[to] {
                        inside[to] = true;
                        facts.joins[to] = true;
                        // Divergence above the node's dominator is the dominator's.
                        let dominator = level.dominator[to];
                        if branch >= dominator && branch < level.subtree_end[dominator] {
                            facts.partial[to] = true;
                        }
                        stack.push(to);
                    }
                }
            }
        }
        for node in 0..count {
            if level.predecessors[node].len() < 2 {
                facts.joins[node] = false;
            }
            facts.whole[node] =
                node == 0 || (!facts.partial[node] && facts.whole[level.dominator[node]]);
        }
        facts.divergent = divergent;
        facts
    }
}
