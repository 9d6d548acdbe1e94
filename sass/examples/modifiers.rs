// Development only: the modifiers of each opcode in cubins.
use std::collections::{BTreeMap, BTreeSet};
fn main() {
    let mut all = BTreeMap::<&str, BTreeSet<&str>>::new();
    for path in std::env::args().skip(1) {
        let file = std::fs::read(&path).unwrap();
        let Ok(cubin) = sass::cubin::Cubin::parse(&file) else { continue };
        for k in cubin.kernels() { for i in sass::decode::decode_all(cubin.code(k)).flatten() { all.entry(i.opcode).or_default().extend(i.modifiers.iter().copied()); } }
    }
    for (o, m) in all { println!("{o}: {}", m.into_iter().collect::<Vec<_>>().join(" ")); }
}
