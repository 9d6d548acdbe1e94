//! Makes a kernel smaller while something about it stays.

use crate::kernel::{Condition, Kernel, Statement};

/// Statements are numbered depth first. What a step does with one of them; it knows only those that it makes a
/// difference for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Remove,
    /// Puts what it holds in its place.
    Unwrap,
}

/// The smallest kernel found that still `fails`.
pub fn reduce(kernel: &Kernel, mut fails: impl FnMut(&Kernel) -> bool) -> Kernel {
    let mut best = kernel.clone();
    loop {
        let mut progress = false;
        for step in [Step::Remove, Step::Unwrap] {
            let mut number = 0;
            while let Some(candidate) = apply(&best, number, step) {
                if fails(&candidate) {
                    best = candidate;
                    progress = true;
                } else {
                    number += 1;
                }
            }
        }
        let mut fewer = best.clone();
        fewer.grid = 1;
        if best.grid > 1 && fails(&fewer) {
            best = fewer;
            progress = true;
        }
        if !progress {
            return best;
        }
    }
}

/// The kernel after a step at a statement; nothing where there are fewer statements.
fn apply(kernel: &Kernel, number: usize, step: Step) -> Option<Kernel> {
    let mut kernel = kernel.clone();
    let mut left = number;
    let lists = kernel.functions.iter_mut().chain([&mut kernel.body, &mut kernel.tail]);
    let done = lists.into_iter().any(|list| apply_to(list, &mut left, step));
    done.then_some(kernel)
}

fn apply_to(list: &mut Vec<Statement>, left: &mut usize, step: Step) -> bool {
    for index in 0..list.len() {
        if step == Step::Remove || can_unwrap(&mut list[index]) {
            if *left == 0 {
                let statement = list.remove(index);
                if step == Step::Unwrap {
                    list.splice(index..index, parts(statement));
                }
                return true;
            }
            *left -= 1;
        }
        if inner(&mut list[index]).into_iter().any(|list| apply_to(list, left, step)) {
            return true;
        }
    }
    false
}

/// Whether a statement can give way to its parts: what lanes do together that others are kept from has to stay among
/// them.
fn can_unwrap(statement: &mut Statement) -> bool {
    let of_lanes = matches!(statement, Statement::If { condition: Condition::Lanes(_), .. });
    !of_lanes && !inner(statement).is_empty()
}

fn inner(statement: &mut Statement) -> Vec<&mut Vec<Statement>> {
    match statement {
        Statement::If { then, otherwise, .. } => vec![then, otherwise],
        Statement::Loop { body, .. } => vec![body],
        Statement::Tangle { blocks } => blocks.iter_mut().map(|(body, ..)| body).collect(),
        Statement::Switch { cases, .. } => cases.iter_mut().collect(),
        _ => vec![],
    }
}

/// The statements within a statement.
fn parts(mut statement: Statement) -> Vec<Statement> {
    inner(&mut statement).into_iter().flat_map(std::mem::take).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;

    #[test]
    fn what_matters_stays_and_nothing_else() {
        let wanted = |kernel: &Kernel| kernel.ptx().contains("popc.b32");
        let kernel = (0..100).map(generate).find(|kernel| wanted(kernel)).unwrap();
        let reduced = reduce(&kernel, wanted);
        let count = reduced.body.len()
            + reduced.tail.len()
            + reduced.functions.iter().map(Vec::len).sum::<usize>();
        assert_eq!(count, 1, "{reduced}");
    }
}
