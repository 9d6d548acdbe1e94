//! Names that tell things apart. Those of the symbols of a linked file do not: each of its parts has local ones, and two may be
//! called the same.

use crate::cubin::Symbol;
use std::collections::HashMap;

/// A name for each symbol, by which it is told from all others. `wanted` is what a symbol would be called; where another one that
/// lies elsewhere is called so, a local one has a number behind it.
pub(super) fn distinct(symbols: &[Symbol], wanted: impl Fn(&str) -> String) -> Vec<String> {
    let mut names = vec![String::new(); symbols.len()];
    let mut taken: HashMap<String, (Option<usize>, u64)> = HashMap::new();
    // The name of a place, and the number to go on with, by what is wanted: linked files have thousands of one name.
    let mut known = HashMap::new();
    let mut next: HashMap<String, usize> = HashMap::new();
    // What other files and programs know keeps its name.
    for locals in [false, true] {
        for (name, symbol) in names.iter_mut().zip(symbols) {
            if symbol.is_local != locals {
                continue;
            }
            let place = (symbol.section, symbol.offset);
            let wanted = wanted(symbol.name);
            let own = known.entry((wanted.clone(), place)).or_insert_with(|| {
                let number = next.entry(wanted.clone()).or_default();
                loop {
                    let name =
                        if *number == 0 { wanted.clone() } else { format!("{wanted}${number}") };
                    *number += 1;
                    if *taken.entry(name.clone()).or_insert(place) == place {
                        break name;
                    }
                }
            });
            name.clone_from(own);
        }
    }
    names
}

/// A name that PTX takes.
pub(super) fn of_ptx(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubin::SymbolKind;

    fn symbol(name: &str, offset: u64, is_local: bool) -> Symbol<'_> {
        Symbol {
            name,
            kind: SymbolKind::Object,
            section: Some(1),
            offset,
            size: 4,
            is_local,
            is_entry: false,
            is_managed: false,
        }
    }

    #[test]
    fn symbols_of_one_name_are_told_apart() {
        let symbols = [
            symbol("$str", 0, true),
            symbol("$str", 4, true),
            symbol("table", 8, true),
            symbol("$str$1", 12, true),
            // Another symbol of the first one's place.
            symbol("$str", 0, true),
            symbol("table", 16, false),
        ];
        let names = distinct(&symbols, str::to_owned);
        assert_eq!(names, ["$str", "$str$1", "table$1", "$str$1$1", "$str", "table"]);
    }

    #[test]
    fn names_that_ptx_does_not_take_are_told_apart_too() {
        let symbols = [symbol(".str", 0, true), symbol("_str", 4, true)];
        assert_eq!(distinct(&symbols, of_ptx), ["_str", "_str$1"]);
    }
}
