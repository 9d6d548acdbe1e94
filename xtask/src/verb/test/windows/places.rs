//! Programs, and the command itself, in folders whose paths have blanks, signs of the shell, letters of several alphabets, and
//! more than 260 characters.

use super::{Case, GOOD};
use crate::Result;
use crate::repository::make_empty;
use crate::windows::wine::windows_path;
use crate::windows::{folder, staged};
use std::fs;
use std::path::{Path, PathBuf};
use zluda_staged::STAGED_WINDOWS;

/// A name of a folder that shells and code pages take for something else.
const ODD: &str = "Zürich 東京 & (100%) ^a";

/// Programs in such folders, each with the command in another such folder.
pub fn cases() -> Result<Vec<Case>> {
    let programs = folder().join("programs");
    let from = programs.join("with a decoy");
    let odd = programs.join(ODD);
    // Windows has no working directory whose path is that long, and Wine 8 starts no program there, whoever asks for it: it is
    // a place for the command.
    let long = odd.join("l".repeat(100)).join("o".repeat(100)).join("n".repeat(100));
    let plain = staged().join("zluda.exe");
    let mut commands = vec![("", plain.clone())];
    for (name, place) in [("odd", &odd), ("long", &long)] {
        let place = place.join("zluda");
        make_empty(&place)?;
        for file in STAGED_WINDOWS {
            fs::hard_link(staged().join(file.name), place.join(file.name))?;
        }
        commands.push((name, place.join("zluda.exe")));
    }
    for program in ["linked.exe", "loaded.exe", "parent.exe", "arguments.exe", "nvcuda.dll"] {
        fs::copy(from.join(program), odd.join(program))?;
    }
    let mut cases = Vec::new();
    for (name, command) in commands {
        let mut case = |what: &str, folder: &Path, arguments: &[&str], status, output| {
            let name = match name {
                "" => what.to_owned(),
                name => format!("{what}, by a command at an {name} place"),
            };
            let (folder, program) = (folder.to_owned(), command.clone());
            let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
            cases.push(Case { name, folder, program, arguments, status, output });
        };
        let path =
            |place: &Path| windows_path(&place.join("linked.exe")).to_string_lossy().into_owned();
        case("a program at a plain place", &from, &["run", "--", "linked.exe"], 0, GOOD);
        case("a program at an odd place", &from, &["run", "--", &path(&odd)], 0, GOOD);
        case("a program here, at an odd place", &odd, &["run", "--", "linked.exe"], 0, GOOD);
        case("a child", &odd, &["run", "--", "parent.exe", "W", "linked.exe"], 0, GOOD);
        let decoy = windows_path(&odd.join("nvcuda.dll")).to_string_lossy().into_owned();
        case("a decoy", &odd, &["run", "--", "loaded.exe", "W", &decoy], 0, GOOD);
        let words = ["run", "--", "arguments.exe", "ä 東", "%PATH%", "^&|"];
        case("odd arguments", &odd, &words, 3, "[ä 東]\n[%PATH%]\n[^&|]\n");
    }
    let mut case = |what: &str, program: PathBuf, arguments: &[&str], output| {
        let (name, folder) = (what.to_owned(), odd.clone());
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        cases.push(Case { name, folder, program, arguments, status: 0, output });
    };
    let place = windows_path(&odd).to_string_lossy().into_owned();
    case(
        "installing at an odd place",
        plain.clone(),
        &["install", &place],
        "nvcuda.dll.before_zluda",
    );
    case("the driver beside a program at an odd place", odd.join("linked.exe"), &[], GOOD);
    case("removing at an odd place", plain, &["remove", "."], "put back");
    Ok(cases)
}
