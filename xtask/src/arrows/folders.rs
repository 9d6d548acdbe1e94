//! Folders of a crate, and files beside them, that import each other in circles, tests aside.

use super::{Arrows, crates};
use crate::Result;
use crate::repository::root;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The name of modules of tests.
const TESTS: &str = "tests";

/// For each folder of sources the folders in it that reach themselves by way of others or of files beside them, as pairs
/// `a/b` of neighbours. What files do among themselves is not asked.
pub fn cycles() -> Result<Arrows> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let mut cycles = Arrows::new();
    let mut folders = BTreeSet::new();
    for member in crates::members(&manifest) {
        let source = root().join(member).join("src");
        for ((within, from), to) in arrows(&source)? {
            let place =
                if within.is_empty() { member.to_owned() } else { format!("{member}/{within}") };
            let is_folder = |name: &String| source.join(&within).join(name).is_dir();
            for name in [&from, &to].into_iter().filter(|name| is_folder(name)) {
                folders.insert((place.clone(), name.clone()));
            }
            cycles.entry(place).or_default().insert(format!("{from}/{to}"));
        }
    }
    for (place, arrows) in &mut cycles {
        *arrows = those_in_cycles(arrows);
        let is_folder = |name: &str| folders.contains(&(place.clone(), name.to_owned()));
        arrows.retain(|arrow| arrow.split('/').any(is_folder));
    }
    cycles.retain(|_, arrows| !arrows.is_empty());
    Ok(cycles)
}

/// Of arrows `from/to` those whose end leads back to their beginning.
fn those_in_cycles(arrows: &BTreeSet<String>) -> BTreeSet<String> {
    let pairs: Vec<_> = arrows.iter().filter_map(|arrow| arrow.split_once('/')).collect();
    let leads_back = |from: &str, to: &str| {
        let (mut reached, mut work) = (BTreeSet::new(), vec![to]);
        while let Some(at) = work.pop() {
            if reached.insert(at) {
                work.extend(pairs.iter().filter(|(begin, _)| *begin == at).map(|(_, end)| *end));
            }
        }
        reached.contains(from)
    };
    let cyclic = pairs.iter().filter(|(from, to)| leads_back(from, to));
    cyclic.map(|(from, to)| format!("{from}/{to}")).collect()
}

/// Arrows between folders and files beside each other: the folder around both, and their names.
fn arrows(source: &Path) -> Result<BTreeSet<((String, String), String)>> {
    let mut found = BTreeSet::new();
    for file in rust_files(source)? {
        let text = std::fs::read_to_string(&file)?;
        let tokens: TokenStream =
            text.parse().map_err(|error| format!("{}: {error}", file.display()))?;
        let module = module_of(source, &file);
        if module.iter().any(|name| name == TESTS) {
            continue;
        }
        let mut paths = Vec::new();
        collect(tokens, &module, &mut paths);
        let own = place_of(source, &module);
        for path in paths {
            let other = place_of(source, &path);
            let common = own.iter().zip(&other).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (own.get(common), other.get(common)) {
                found.insert(((own[..common].join("/"), from.clone()), to.clone()));
            }
        }
    }
    Ok(found)
}

/// The files of Rust in a folder and those below it; none where there is no such folder.
pub fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(files) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// The path of a file's module in its crate.
fn module_of(source: &Path, file: &Path) -> Vec<String> {
    let relative = file.strip_prefix(source).unwrap_or(file).with_extension("");
    let mut module: Vec<_> =
        relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

/// The part of a path that is folders, and a file in the last of them.
fn place_of(source: &Path, path: &[String]) -> Vec<String> {
    let at = |count: usize| source.join(path[..count].join("/"));
    let folders = (1..=path.len()).take_while(|&count| at(count).is_dir()).last().unwrap_or(0);
    let is_file = folders < path.len() && at(folders + 1).with_extension("rs").is_file();
    path[..folders + usize::from(is_file)].to_vec()
}

/// The paths that begin with `crate`, `self` or `super`, from the crate's root.
fn collect(tokens: TokenStream, module: &[String], paths: &mut Vec<Vec<String>>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) if is_separator(&tokens, at + 1) => {
                let (begin, after) = match word.to_string().as_str() {
                    "crate" => (Some(Vec::new()), at + 3),
                    "self" => (Some(module.to_vec()), at + 3),
                    "super" => above(&tokens, at, module),
                    _ => (None, at + 3),
                };
                match begin {
                    Some(begin) => at = follow(&tokens, after, begin, paths),
                    // Somebody else's path.
                    None => at = skip(&tokens, after),
                }
            }
            TokenTree::Group(group) => {
                let mut inner = module.to_vec();
                let is_module = at >= 2
                    && group.delimiter() == Delimiter::Brace
                    && matches!(&tokens[at - 2], TokenTree::Ident(word) if word == "mod");
                if is_module {
                    inner.push(tokens[at - 1].to_string());
                }
                // Tests go in by the front door, wherever they stand.
                if inner.last().is_none_or(|name| name != TESTS) {
                    collect(group.stream(), &inner, paths);
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// `super::super::...`
fn above(tokens: &[TokenTree], mut at: usize, module: &[String]) -> (Option<Vec<String>>, usize) {
    let mut begin = module.to_vec();
    while matches!(&tokens.get(at), Some(TokenTree::Ident(word)) if *word == "super") {
        begin.pop();
        at += 3;
    }
    (Some(begin), at)
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |at| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}

/// The rest of a path whose beginning is known; gives the place behind it.
fn follow(
    tokens: &[TokenTree],
    mut at: usize,
    mut path: Vec<String>,
    paths: &mut Vec<Vec<String>>,
) -> usize {
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) => path.push(word.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let is_comma =
                    |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ',');
                for part in inner.split(is_comma) {
                    follow(part, 0, path.clone(), paths);
                }
                return at + 1;
            }
            _ => break,
        }
        at += 1;
        if !is_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    paths.push(path);
    at
}

fn skip(tokens: &[TokenTree], mut at: usize) -> usize {
    while matches!(tokens.get(at), Some(TokenTree::Ident(_))) && is_separator(tokens, at + 1) {
        at += 3;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let mut paths = Vec::new();
        let module = ["a".to_owned(), "b".to_owned()];
        collect(text.parse().expect("tokens"), &module, &mut paths);
        paths.into_iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn paths_are_found_wherever_they_stand() {
        assert_eq!(paths("use crate::{x::{Y, Z}, w};"), ["x::Y", "x::Z", "w"]);
        assert_eq!(paths("fn f() { super::g(std::mem::size_of::<crate::T>()) }"), ["a::g", "T"]);
        assert_eq!(paths("mod of { use super::{c, super::d}; }"), ["a::b::c", "a::b::super::d"]);
        assert_eq!(paths("mod tests { use super::c; } use super::d;"), ["a::d"]);
        assert_eq!(paths("use other::crate_like::X; use self::own;"), ["a::b::own"]);
    }

    #[test]
    fn only_arrows_in_cycles_are_kept() {
        let arrows = ["a/b", "b/c", "c/a", "c/d"].map(str::to_owned).into();
        assert_eq!(those_in_cycles(&arrows), ["a/b", "b/c", "c/a"].map(str::to_owned).into());
    }
}
