//! Machine code: what ptxas makes of PTX, and what nvdisasm says of it.

use crate::Result;
use crate::repository::make;
use sass::decode::Encoding;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An architecture whose machine code is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// As ptxas has it.
    pub name: &'static str,
    /// As nvdisasm has it.
    binary: &'static str,
    pub encoding: Encoding,
}

pub const SM_75: Architecture =
    Architecture { name: "sm_75", binary: "SM75", encoding: Encoding::Sm75 };
pub const SM_80: Architecture =
    Architecture { name: "sm_80", binary: "SM80", encoding: Encoding::Sm80 };

pub const SM_86: Architecture =
    Architecture { name: "sm_86", binary: "SM86", encoding: Encoding::Sm86 };
pub const SM_89: Architecture =
    Architecture { name: "sm_89", binary: "SM89", encoding: Encoding::Sm89 };
/// With what Hopper alone has.
pub const SM_90: Architecture =
    Architecture { name: "sm_90a", binary: "SM90", encoding: Encoding::Sm90 };

impl Architecture {
    /// What a text for it begins with: [`TARGET_LINES`].
    fn target(self) -> String {
        format!(".version 9.3\n.target {}\n.address_size 64\n", self.name)
    }
}

const TARGET_LINES: usize = 3;

/// The code of an instruction that does nothing.
const NOP: u128 = 0x000f_c000_0000_0000_0000_0000_0000_7918;

/// Assembles a text as it is. `options` are ptxas's. Returns the cubin.
pub fn assemble(ptxas: &Path, of: Architecture, text: &Path, options: &[&str]) -> Result<Vec<u8>> {
    let cubin = text.with_extension("cubin");
    let output = Command::new(ptxas)
        .args(["-arch", of.name])
        .args(options)
        .arg(text)
        .arg("-o")
        .arg(&cubin)
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(fs::read(cubin)?)
}

/// Assembles many small kernels at once, for one architecture whatever they are for. Those that ptxas refuses are left out. Returns the
/// cubin and how many are in it.
pub fn assemble_kernels(
    ptxas: &Path,
    of: Architecture,
    file: &Path,
    kernels: &[&str],
) -> Result<(Vec<u8>, usize)> {
    // One line each, so that errors say whose they are; names that are alike are told apart.
    let lines: Vec<String> =
        kernels.iter().enumerate().map(|(index, kernel)| line(kernel, index)).collect();
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    if let Some(folder) = file.parent() {
        make(folder)?;
    }
    loop {
        fs::write(file, format!("{}{}\n", of.target(), lines.join("\n")))?;
        let error = match assemble(ptxas, of, file, &[]) {
            Ok(cubin) => return Ok((cubin, lines.len())),
            Err(error) => error.to_string(),
        };
        let numbers = error
            .split("line ")
            .skip(1)
            .filter_map(|rest| rest.split([';', ',']).next()?.parse().ok());
        let refused: BTreeSet<usize> = numbers.collect();
        let before = lines.len();
        let mut number = TARGET_LINES;
        lines.retain(|_| {
            number += 1;
            !refused.contains(&number)
        });
        if lines.len() == before {
            return Err(error.into());
        }
    }
}

fn line(kernel: &str, index: usize) -> String {
    let is_kept = |line: &&str| {
        let words = [".version", ".target", ".address_size", "//"];
        !words.iter().any(|word| line.trim_start().starts_with(word))
    };
    let text = kernel.lines().filter(is_kept).collect::<Vec<_>>().join(" ");
    let functions = text.split(".func ").skip(1).filter_map(function);
    let spaces = [".global ", ".const "].into_iter();
    let variables = spaces.flat_map(|space| text.split(space).skip(1).filter_map(variable));
    let names: BTreeSet<&str> = functions.chain(variables).collect();
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_$%".contains(c);
    let mut renamed = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let end = match rest.find(|c| is_of_name(c) != is_of_name(first)) {
            Some(end) => end,
            None => rest.len(),
        };
        let (word, after) = rest.split_at(end);
        renamed.push_str(word);
        if names.contains(word) {
            renamed.push_str(&format!("_k{index}"));
        }
        rest = after;
    }
    let text = renamed;
    match text.split_once(".entry ") {
        Some((before, after)) => format!("{before}.entry k{index}_{after}"),
        None => text,
    }
}

/// The name of a function, from behind `.func`.
fn function(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let text = if text.starts_with('(') { text.split_once(')')?.1.trim_start() } else { text };
    text.split(['(', ' ', ';']).next().filter(|name| !name.is_empty())
}

/// The name of a variable, from behind its state space.
fn variable(text: &str) -> Option<&str> {
    let name = text.split(['[', '=', ';']).next()?.split_whitespace().last()?;
    // `isspacep.global %p, %a;` declares nothing.
    (!name.starts_with('%')).then_some(name)
}

/// The words of all code in a cubin.
pub fn words(cubin: &[u8]) -> Result<Vec<u128>> {
    let cubin = sass::cubin::Cubin::parse(cubin)?;
    let code = cubin.sections.iter().filter(|section| section.name.starts_with(".text."));
    let words = code.flat_map(|section| section.data.as_chunks().0.iter());
    Ok(words.map(|bytes| u128::from_le_bytes(*bytes)).collect())
}

/// NVIDIA's disassembler.
pub struct Nvdisasm {
    pub path: PathBuf,
    /// Where it may leave files.
    pub folder: PathBuf,
}

impl Nvdisasm {
    /// What it says of each word at its place, as if all stood one behind the other; none where it refuses one.
    pub fn texts(&self, of: Architecture, words: &[u128]) -> Result<Vec<Option<String>>> {
        make(&self.folder)?;
        let file = self.folder.join("words.bin");
        let mut words = words.to_vec();
        let mut refused = BTreeSet::new();
        // It prints nothing as long as it refuses something, but says of what.
        loop {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(&file, bytes)?;
            let output = Command::new(&self.path)
                .args(["--binary", of.binary])
                .arg(&file)
                .stdin(Stdio::null())
                .output()?;
            if output.status.success() {
                let text = String::from_utf8_lossy(&output.stdout);
                let mut texts: BTreeMap<usize, &str> =
                    text.lines().filter_map(instruction).collect();
                let text = |index| {
                    let text = texts.remove(&index).filter(|_| !refused.contains(&index));
                    text.map(str::to_owned)
                };
                return Ok((0..words.len()).map(text).collect());
            }
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            let before = refused.len();
            for place in errors.lines().filter_map(|line| line.split_once(" at address 0x")) {
                let place = usize::from_str_radix(place.1.trim(), 16)? / sass::decode::SIZE;
                *words.get_mut(place).ok_or("an address outside")? = NOP;
                refused.insert(place);
            }
            if refused.len() == before {
                return Err(
                    format!("nvdisasm: {}", errors.lines().last().unwrap_or("no reason")).into()
                );
            }
        }
    }
}

/// The number of the instruction of a line, and its text.
fn instruction(line: &str) -> Option<(usize, &str)> {
    let (address, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let address = usize::from_str_radix(address, 16).ok()?;
    let (text, _) = rest.split_once(';')?;
    Some((address / sass::decode::SIZE, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_become_lines_with_names_of_their_own() {
        let kernel = "// add\n.version 8.0\n.target sm_90\n.visible .entry form(.param .u64 p)\n{\n  ret;\n}\n";
        assert_eq!(line(kernel, 3), ".visible .entry k3_form(.param .u64 p) {   ret; }");
        let kernel = ".const .b32 c[2] = {1, 2};\n.entry e() { ld.const.b32 %c, [c]; }";
        let expected = ".const .b32 c_k7[2] = {1, 2}; .entry k7_e() { ld.const.b32 %c, [c_k7]; }";
        assert_eq!(line(kernel, 7), expected);
        let kernel = ".func (.param .b32 r) f (.param .b32 f1) { }\n.entry e() { call f, (%f); }";
        let expected =
            ".func (.param .b32 r) f_k0 (.param .b32 f1) { } .entry k0_e() { call f_k0, (%f); }";
        assert_eq!(line(kernel, 0), expected);
    }

    #[test]
    fn lines_of_listings_are_instructions() {
        let line = "        /*0040*/               @P0 EXIT ;     /* 0x000000000000094d */";
        assert_eq!(instruction(line), Some((4, "@P0 EXIT")));
        assert_eq!(instruction("      /* 0x000fea0003800000 */"), None);
    }
}
