//! The forms, by family.

mod asynchronous;
mod atomic;
mod cluster;
mod compare;
mod constants;
mod convert;
mod corners;
mod data;
mod float;
mod fragment;
mod half;
mod integer;
mod logic;
mod matrix_move;
mod memory;
mod mixed;
mod mma;
mod narrow;
mod select;
mod vector;
mod video;
mod warp;
mod wgmma;
mod wide;
mod wmma;

use crate::form::Form;

/// The forms of all families.
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
        asynchronous::forms(),
        cluster::forms(),
        data::forms(),
        warp::forms(),
        mma::forms(),
        mma::sparse_forms(),
        wmma::forms(),
        wgmma::forms(),
        matrix_move::forms(),
        video::forms(),
        narrow::forms(),
        select::forms(),
        wide::forms(),
        vector::forms(),
        mixed::forms(),
        corners::forms(),
    ]
    .concat();
    let mut names: Vec<&str> = forms.iter().map(|form| form.name.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        panic!("two forms are named {}", pair[0]);
    }
    forms
}
