//! The forms, by family.

mod atomic;
mod compare;
mod convert;
mod float;
mod half;
mod integer;
mod logic;
mod memory;
mod warp;

use crate::form::Form;

pub fn all() -> Vec<Form> {
    let forms = [
        integer::forms(),
        logic::forms(),
        float::forms(),
        half::forms(),
        compare::forms(),
        convert::forms(),
        memory::forms(),
        atomic::forms(),
        warp::forms(),
    ]
    .concat();
    let mut names: Vec<&str> = forms.iter().map(|form| form.name.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        panic!("two forms are named {}", pair[0]);
    }
    forms
}
