//! [`Level`]: the body of one loop, or of the function, as an acyclic graph in which inner loops are nodes.
//!
//! Every edge that leaves the level (back edges, exits, returns) goes to a virtual sink. Nodes stand in a
//! *compact* topological order: the nodes that a node dominates follow it without a gap. Code is laid
//! out in this order, so that a node that is skipped is skipped with all that it dominates, and what a
//! node defines is always at hand where it is used.

use super::cfg::{Cfg, immediate_dominators};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    Block(usize),
    /// An inner loop, by number.
    Loop(usize),
}

/// An edge of the function's graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    /// The index among the successors of `from`.
    pub successor: usize,
    pub to: usize,
}

#[derive(Debug)]
pub struct Level {
    /// `None` for the function's own level.
    pub of: Option<usize>,
    /// In compact topological order; node 0 is the entry.
    pub nodes: Vec<Node>,
    /// Distinct successor nodes; `nodes.len()` is the sink.
    pub successors: Vec<Vec<usize>>,
    pub predecessors: Vec<Vec<usize>>,
    pub dominator: Vec<usize>,
    pub post_dominator: Vec<usize>,
    /// The first node after those that a node dominates.
    pub subtree_end: Vec<usize>,
}

/// The levels of a function, and where blocks and loops stand in them.
pub struct Levels {
    /// Level 0 is the function's; level `l + 1` is that of loop `l`.
    pub levels: Vec<Level>,
    /// The node of each block in the level of its innermost loop.
    pub block_node: Vec<usize>,
    /// The node of each loop in the level around it.
    pub loop_node: Vec<usize>,
}

/// The index in [`Levels::levels`] of a loop's level, or of the function's for none.
pub fn level_of(of: Option<usize>) -> usize {
    of.map_or(0, |number| number + 1)
}

impl Levels {
    /// The levels of a function with this graph.
    pub fn new(cfg: &Cfg<'_>) -> Self {
        let mut block_node = vec![usize::MAX; cfg.blocks.len()];
        let mut loop_node = vec![usize::MAX; cfg.loops.len()];
        let mut levels = Vec::with_capacity(cfg.loops.len() + 1);
        for of in std::iter::once(None).chain((0..cfg.loops.len()).map(Some)) {
            let level = build(cfg, of);
            for (number, node) in level.nodes.iter().enumerate() {
                match *node {
                    Node::Block(block) => block_node[block] = number,
                    Node::Loop(inner) => loop_node[inner] = number,
                }
            }
            levels.push(level);
        }
        Self { levels, block_node, loop_node }
    }

    /// The node of the level `of` that holds `block`, which lies in it.
    pub fn node_of(&self, cfg: &Cfg<'_>, block: usize, of: Option<usize>) -> usize {
        let mut inner = cfg.loop_of[block];
        if inner == of {
            return self.block_node[block];
        }
        while let Some(number) = inner {
            if cfg.loops[number].parent == of {
                return self.loop_node[number];
            }
            inner = cfg.loops[number].parent;
        }
        debug_assert!(false, "the block is not in the loop");
        0
    }

    /// The node to which an edge leads in the level `of`; the sink where it leaves or closes the loop.
    pub fn target(&self, cfg: &Cfg<'_>, to: usize, of: Option<usize>) -> usize {
        let level = &self.levels[level_of(of)];
        match of {
            Some(number) if cfg.loops[number].header == to || !cfg.loops[number].contains[to] => {
                level.nodes.len()
            }
            _ => self.node_of(cfg, to, of),
        }
    }
}

/// The edges that leave a node within the function.
pub fn edges(cfg: &Cfg<'_>, node: Node) -> Vec<Edge> {
    let of_block = |from: usize| {
        cfg.successors[from].iter().enumerate().map(move |(successor, &to)| Edge {
            from,
            successor,
            to,
        })
    };
    match node {
        Node::Block(block) => of_block(block).collect(),
        Node::Loop(number) => {
            let contains = &cfg.loops[number].contains;
            (0..cfg.blocks.len())
                .filter(|&block| contains[block])
                .flat_map(of_block)
                .filter(|edge| !contains[edge.to])
                .collect()
        }
    }
}

fn build(cfg: &Cfg<'_>, of: Option<usize>) -> Level {
    // Nodes in the function's reverse postorder, a loop at its header: a topological order.
    let mut nodes = Vec::new();
    let mut number_of = vec![usize::MAX; cfg.blocks.len()];
    for block in 0..cfg.blocks.len() {
        let node = if cfg.loop_of[block] == of {
            Node::Block(block)
        } else if let Some(inner) = cfg.loop_of[block]
            .filter(|&l| cfg.loops[l].parent == of && cfg.loops[l].header == block)
        {
            Node::Loop(inner)
        } else {
            continue;
        };
        let number = nodes.len();
        match node {
            Node::Block(block) => number_of[block] = number,
            Node::Loop(inner) => {
                for (member, _) in
                    cfg.loops[inner].contains.iter().enumerate().filter(|(_, inside)| **inside)
                {
                    number_of[member] = number;
                }
            }
        }
        nodes.push(node);
    }
    let sink = nodes.len();
    let target = |to: usize| match of {
        Some(number) if cfg.loops[number].header == to || !cfg.loops[number].contains[to] => sink,
        _ => number_of[to],
    };
    let successors: Vec<Vec<usize>> = nodes
        .iter()
        .map(|&node| {
            let mut targets: Vec<usize> =
                edges(cfg, node).iter().map(|edge| target(edge.to)).collect();
            targets.sort_unstable();
            targets.dedup();
            if targets.is_empty() {
                targets.push(sink);
            }
            targets
        })
        .collect();
    // Reverse postorder of blocks need not be one of the collapsed graph; sort it topologically.
    let order = topological(&successors);
    let order = compact(&renumber(&successors, &order), &order);
    let successors = renumber(&successors, &order);
    let nodes: Vec<Node> = order.iter().map(|&old| nodes[old]).collect();
    let predecessors = invert(&successors, sink);
    let dominator = immediate_dominators(&predecessors[..sink]);
    let mut subtree_end: Vec<usize> = (1..=sink).collect();
    for node in (1..sink).rev() {
        let parent = dominator[node];
        subtree_end[parent] = subtree_end[parent].max(subtree_end[node]);
    }
    let post_dominator = post_dominators(&successors, sink);
    Level { of, nodes, successors, predecessors, dominator, post_dominator, subtree_end }
}

fn invert(successors: &[Vec<usize>], sink: usize) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); sink + 1];
    for (from, targets) in successors.iter().enumerate() {
        for &to in targets {
            predecessors[to].push(from);
        }
    }
    predecessors
}

/// `order[new] = old`; the sink keeps its number.
fn renumber(successors: &[Vec<usize>], order: &[usize]) -> Vec<Vec<usize>> {
    let mut new_of = vec![order.len(); order.len() + 1];
    for (new, &old) in order.iter().enumerate() {
        new_of[old] = new;
    }
    order
        .iter()
        .map(|&old| {
            let mut targets: Vec<usize> = successors[old].iter().map(|&to| new_of[to]).collect();
            targets.sort_unstable();
            targets
        })
        .collect()
}

/// Node 0 first, then by reverse postorder of a depth-first walk.
fn topological(successors: &[Vec<usize>]) -> Vec<usize> {
    let sink = successors.len();
    let mut seen = vec![false; sink + 1];
    seen[sink] = true;
    seen[0] = true;
    let mut order = Vec::with_capacity(sink);
    let mut stack = vec![(0, 0)];
    while let Some((node, next)) = stack.last_mut() {
        // The last successor first, so that the first one comes first in the order.
        let targets = &successors[*node];
        if let Some(&to) = targets.len().checked_sub(*next + 1).and_then(|i| targets.get(i)) {
            *next += 1;
            if !seen[to] {
                seen[to] = true;
                stack.push((to, 0));
            }
        } else {
            order.push(*node);
            stack.pop();
        }
    }
    order.reverse();
    order
}

/// Takes successors in a topological order, and gives the compact order in old numbers.
fn compact(successors: &[Vec<usize>], order: &[usize]) -> Vec<usize> {
    let sink = successors.len();
    let predecessors = invert(successors, sink);
    let dominator = immediate_dominators(&predecessors[..sink]);
    let mut children = vec![Vec::new(); sink];
    for node in 1..sink {
        children[dominator[node]].push(node);
    }
    // Children of one parent are related by edges from anywhere in one's subtree to the other itself.
    let mut compacted = Vec::with_capacity(sink);
    let mut stack = vec![0];
    while let Some(node) = stack.pop() {
        compacted.push(order[node]);
        // Topological numbers order siblings: an edge into a sibling comes from a smaller subtree root.
        stack.extend(children[node].iter().rev());
    }
    compacted
}

fn post_dominators(successors: &[Vec<usize>], sink: usize) -> Vec<usize> {
    let mut post = vec![sink; sink + 1];
    for node in (0..sink).rev() {
        let mut targets = successors[node].iter().copied();
        let first = targets.next().unwrap_or(sink);
        post[node] = targets.fold(first, |mut a, mut b| {
            while a != b {
                if a < b {
                    a = post[a];
                } else {
                    b = post[b];
                }
            }
            a
        });
    }
    post
}
