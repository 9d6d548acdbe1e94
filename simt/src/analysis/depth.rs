//! The blocks of a finished function that run many times.

use llvm_zluda::{Block, Value};
use rustc_hash::FxHashMap;

/// For each block of a function, in order: whether it lies in a loop within the outermost ones. The outermost
/// loop of a kernel's entry is that over warps.
pub fn in_loops(function: Value<'_>) -> Vec<bool> {
    let blocks = function.blocks();
    let index: FxHashMap<Block<'_>, usize> =
        blocks.iter().enumerate().map(|(index, block)| (*block, index)).collect();
    let successors: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| block.successors().iter().map(|next| index[next]).collect())
        .collect();
    let warps = function.name().ends_with(".block");
    let mut removed = vec![false; blocks.len()];
    if warps {
        // Without the blocks through which the outer loop is entered it is none.
        let components = components(&successors, &removed);
        let mut entered = vec![0];
        for (from, nexts) in successors.iter().enumerate() {
            let outside = nexts.iter().filter(|&&to| components[to] != components[from]);
            entered.extend(outside.copied());
        }
        let sizes = sizes(&components);
        for block in entered {
            removed[block] |= sizes[components[block]] > 1;
        }
    }
    let components = components(&successors, &removed);
    let sizes = sizes(&components);
    (0..blocks.len())
        .map(|block| {
            !removed[block] && (sizes[components[block]] > 1 || successors[block].contains(&block))
        })
        .collect()
}

fn sizes(components: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0; components.len()];
    for &component in components {
        sizes[component] += 1;
    }
    sizes
}

/// The strongly connected component of each block (Tarjan); those that are removed stand alone.
fn components(successors: &[Vec<usize>], removed: &[bool]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = successors.len();
    let (mut order, mut low) = (vec![NONE; count], vec![0; count]);
    let mut component = vec![NONE; count];
    let (mut next_order, mut next_component) = (0, 0);
    let mut open = Vec::new();
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        // Each entry: a block, and how many of its successors have been seen.
        let mut stack = vec![(root, 0)];
        while let Some((block, seen)) = stack.pop() {
            if seen == 0 {
                (order[block], low[block]) = (next_order, next_order);
                next_order += 1;
                open.push(block);
            }
            let mut resumed = false;
            for (position, &to) in successors[block].iter().enumerate().skip(seen) {
                if removed[block] || removed[to] {
                    continue;
                }
                if order[to] == NONE {
                    stack.push((block, position + 1));
                    stack.push((to, 0));
                    resumed = true;
                    break;
                }
                if component[to] == NONE {
                    low[block] = low[block].min(order[to]);
                }
            }
            if resumed {
                continue;
            }
            if low[block] == order[block] {
                while let Some(member) = open.pop() {
                    component[member] = next_component;
                    if member == block {
                        break;
                    }
                }
                next_component += 1;
            }
            if let Some(&mut (parent, _)) = stack.last_mut() {
                low[parent] = low[parent].min(low[block]);
            }
        }
    }
    component
}
