//! Orders of rows and columns in which decompositions of a sparse matrix fill in little.

use super::matrix::Pattern;
use std::collections::{BTreeSet, VecDeque};

/// The reverse order of Cuthill and McKee: neighbours are near each other.
pub(crate) fn reverse_cuthill_mckee(pattern: &Pattern) -> Vec<usize> {
    let neighbours = pattern.neighbours();
    let n = neighbours.len();
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    let mut by_degree: Vec<usize> = (0..n).collect();
    by_degree.sort_by_key(|node| neighbours[*node].len());
    for start in by_degree {
        if seen[start] {
            continue;
        }
        let start = farthest(&neighbours, start);
        let mut queue = VecDeque::from([start]);
        seen[start] = true;
        while let Some(node) = queue.pop_front() {
            order.push(node);
            let mut next: Vec<usize> =
                neighbours[node].iter().copied().filter(|other| !seen[*other]).collect();
            next.sort_by_key(|other| neighbours[*other].len());
            for other in next {
                seen[other] = true;
                queue.push_back(other);
            }
        }
    }
    order.reverse();
    order
}

/// A node at the end of a longest way through the nodes that a node leads to, or nearly so.
fn farthest(neighbours: &[Vec<usize>], mut start: usize) -> usize {
    let mut depth = 0;
    loop {
        let mut distance = vec![usize::MAX; neighbours.len()];
        distance[start] = 0;
        let mut queue = VecDeque::from([start]);
        let mut last = start;
        while let Some(node) = queue.pop_front() {
            let degree = |node: usize| neighbours[node].len();
            if distance[node] > distance[last]
                || (distance[node] == distance[last] && degree(node) < degree(last))
            {
                last = node;
            }
            for &other in &neighbours[node] {
                if distance[other] == usize::MAX {
                    distance[other] = distance[node] + 1;
                    queue.push_back(other);
                }
            }
        }
        if distance[last] <= depth {
            return start;
        }
        (depth, start) = (distance[last], last);
    }
}

/// The order of least degree: each time the row that has the fewest neighbours left, which become neighbours of each other.
pub(crate) fn least_degree(pattern: &Pattern) -> Vec<usize> {
    let mut neighbours: Vec<BTreeSet<usize>> =
        pattern.neighbours().into_iter().map(|list| list.into_iter().collect()).collect();
    let mut left: BTreeSet<(usize, usize)> =
        neighbours.iter().enumerate().map(|(node, others)| (others.len(), node)).collect();
    let mut order = Vec::with_capacity(neighbours.len());
    while let Some((_, node)) = left.pop_first() {
        order.push(node);
        let others = std::mem::take(&mut neighbours[node]);
        for &other in &others {
            left.remove(&(neighbours[other].len(), other));
            neighbours[other].remove(&node);
            neighbours[other].extend(others.iter().copied().filter(|third| *third != other));
            left.insert((neighbours[other].len(), other));
        }
    }
    order
}

/// For each column of a square matrix a row whose element there can stand on the diagonal, each row once: the most of them
/// that there are, and how many. Rows that are left are those of the other columns.
pub(crate) fn zero_free_diagonal(pattern: &Pattern) -> (Vec<usize>, usize) {
    let n = pattern.rows();
    let mut column_of = vec![None; n];
    let mut row_of = vec![None; pattern.columns];
    let mut found = 0;
    for start in 0..n {
        // A way from this row to a column that is free, through columns that others can give away.
        let mut from: Vec<Option<usize>> = vec![None; pattern.columns];
        let mut queue = VecDeque::from([start]);
        let mut free = None;
        'search: while let Some(row) = queue.pop_front() {
            for &column in pattern.columns_of(row) {
                if from[column].is_some() {
                    continue;
                }
                from[column] = Some(row);
                match row_of[column] {
                    None => {
                        free = Some(column);
                        break 'search;
                    }
                    Some(other) => queue.push_back(other),
                }
            }
        }
        found += usize::from(free.is_some());
        while let Some(column) = free {
            let Some(row) = from[column] else { break };
            row_of[column] = Some(row);
            free = column_of[row].replace(column);
        }
    }
    let mut rest = (0..n).filter(|row| column_of[*row].is_none());
    let rows = row_of.into_iter().map(|row| row.or_else(|| rest.next()).unwrap_or(0)).collect();
    (rows, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(rows: &[&[i32]]) -> Pattern {
        let mut starts = vec![0];
        let mut indices = Vec::new();
        for row in rows {
            indices.extend(*row);
            starts.push(indices.len() as i32);
        }
        Pattern::new(rows.len(), 0, &starts, &indices).expect("a matrix")
    }

    // A path of five nodes with mixed numbers has a band of one in either order along it.
    #[test]
    fn a_path_is_put_in_its_order() {
        let path = pattern(&[&[0, 3], &[1, 3, 4], &[2, 4], &[0, 1, 3], &[1, 2, 4]]);
        let order = reverse_cuthill_mckee(&path);
        assert!(order == [0, 3, 1, 4, 2] || order == [2, 4, 1, 3, 0], "{order:?}");
        // Its ends have the fewest neighbours, in turn: nothing fills in.
        let mut order = least_degree(&path);
        assert!(order[0] == 0 || order[0] == 2);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_diagonal_without_zeros_is_found_where_there_is_one() {
        let shifted = pattern(&[&[1, 2], &[1], &[0, 1]]);
        assert_eq!(zero_free_diagonal(&shifted), (vec![2, 1, 0], 3));
        // Two rows have one column for both.
        let (rows, found) = zero_free_diagonal(&pattern(&[&[1], &[1], &[0, 2]]));
        assert_eq!(found, 2);
        let mut rows = rows;
        rows.sort_unstable();
        assert_eq!(rows, [0, 1, 2]);
    }
}
