//! A graph that has no cycle, and says which one an edge would make.

use std::collections::{HashMap, HashSet};

/// Edges between numbered nodes, each with what is to be said of it.
pub struct Graph<T> {
    edges: HashMap<u64, HashMap<u64, T>>,
}

impl<T> Default for Graph<T> {
    fn default() -> Graph<T> {
        Graph { edges: HashMap::new() }
    }
}

impl<T> Graph<T> {
    pub fn has(&self, from: u64, to: u64) -> bool {
        self.edges.get(&from).is_some_and(|edges| edges.contains_key(&to))
    }

    /// Edges.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.edges.values().map(HashMap::len).sum()
    }

    /// Takes a node away, with its edges.
    pub fn remove(&mut self, node: u64) {
        self.edges.remove(&node);
        self.edges.retain(|_, edges| {
            edges.remove(&node);
            !edges.is_empty()
        });
    }

    /// Adds an edge if it is new. Where nodes lead back from `to` to `from`, returns the edges on the shortest such way, and
    /// adds nothing.
    pub fn add(&mut self, from: u64, to: u64, value: T) -> Option<Vec<&T>> {
        if self.has(from, to) {
            return None;
        }
        if let Some(nodes) = self.way(to, from) {
            return Some(nodes.windows(2).map(|pair| &self.edges[&pair[0]][&pair[1]]).collect());
        }
        self.edges.entry(from).or_default().insert(to, value);
        None
    }

    /// The nodes of the shortest way between two, both included.
    fn way(&self, from: u64, to: u64) -> Option<Vec<u64>> {
        let (mut ways, mut seen) = (vec![vec![from]], HashSet::from([from]));
        while !ways.is_empty() {
            let mut longer = Vec::new();
            for way in ways {
                let last = way[way.len() - 1];
                if last == to {
                    return Some(way);
                }
                for next in self.edges.get(&last).into_iter().flat_map(HashMap::keys) {
                    if seen.insert(*next) {
                        longer.push([&way[..], &[*next]].concat());
                    }
                }
            }
            ways = longer;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;

    #[test]
    fn the_last_edge_of_a_cycle_is_refused() {
        let mut graph = Graph::default();
        for (from, to) in [(1, 2), (2, 3), (3, 4), (1, 3), (1, 2)] {
            assert_eq!(graph.add(from, to, (from, to)), None);
        }
        assert_eq!(graph.add(4, 1, (4, 1)), Some(vec![&(1, 3), &(3, 4)]));
        assert_eq!(graph.add(2, 1, (2, 1)), Some(vec![&(1, 2)]));
        assert_eq!(graph.add(2, 4, (2, 4)), None);
        // Without node 3 nothing leads from 1 to 4 but through 2.
        graph.remove(3);
        assert_eq!(graph.add(4, 1, (4, 1)), Some(vec![&(1, 2), &(2, 4)]));
        graph.remove(2);
        assert_eq!(graph.add(4, 1, (4, 1)), None);
        graph.remove(4);
        assert_eq!(graph.len(), 0);
    }
}
