//! The programs of a checkout: folders with a Makefile that calls nvcc, with a CMakeLists.txt that makes a
//! program of CUDA sources, or with sources alone; or the files that the collection's list calls programs.

use crate::Result;
use crate::corpus::expectations::{Expectations, Rule};
use crate::corpus::needs;
use crate::repository::{files, stem};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The means by which a program is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Builder {
    Make,
    CMake,
    /// nvcc, with these files of the folder.
    Sources(Vec<String>),
    /// A line for a shell, about this file of the folder.
    Command {
        source: String,
        /// Which of the file's programs it is; empty for the file as it is.
        variant: String,
        line: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The last part of its path, or as many as tell it from others. All of it for a file of which the list says that
    /// it is a program.
    pub name: String,
    /// Below the checkout.
    pub folder: PathBuf,
    pub builder: Builder,
    /// The first thing that it needs and that is not there.
    pub needs: Option<&'static str>,
}

impl Program {
    /// The file that the build makes, in the program's folder, where we say what its name is.
    pub fn product(&self) -> Option<String> {
        match &self.builder {
            Builder::Make | Builder::CMake => None,
            Builder::Sources(_) => Some(format!("{}.corpus", self.name.replace('/', "-"))),
            Builder::Command { source, variant, .. } => {
                Some(format!("{}.corpus", with_variant(source, variant)))
            }
        }
    }

    /// A file of ours in the program's folder, where there may be other programs.
    pub fn file(&self, name: &str) -> String {
        format!("{}{name}", self.product().unwrap_or_default())
    }
}

fn with_variant(name: &str, variant: &str) -> String {
    if variant.is_empty() { name.to_owned() } else { format!("{name}@{variant}") }
}

/// All programs of a checkout, by name: the files that the list's rules are about, or, where there are no rules, what has
/// build files.
pub fn programs(checkout: &Path, list: &Expectations) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    if list.rules.is_empty() {
        walk(checkout, Path::new(""), true, &mut programs)?;
        shorten(&mut programs);
    } else {
        walk_files(checkout, Path::new(""), list, &mut programs)?;
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

fn walk_files(
    checkout: &Path,
    folder: &Path,
    list: &Expectations,
    found: &mut Vec<Program>,
) -> Result<()> {
    for entry in entries(&checkout.join(folder))? {
        let file = entry.file_name().to_string_lossy().into_owned();
        let path = folder.join(&file);
        if entry.file_type()?.is_dir() {
            if !file.starts_with('.') {
                walk_files(checkout, &path, list, found)?;
            }
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        let Some(rule) = rule_for(&list.rules, &name) else { continue };
        let mut variants = vec![String::new()];
        if let Some(rule) = rule_for(&list.variants, &name) {
            variants.extend(variants_of(rule, &checkout.join(folder), &file)?);
        }
        found.extend(variants.into_iter().map(|variant| Program {
            name: with_variant(&name, &variant),
            folder: folder.to_owned(),
            builder: Builder::Command { source: file.clone(), variant, line: rule.command.clone() },
            needs: None,
        }));
    }
    Ok(())
}

fn rule_for<'a>(rules: &'a [Rule], name: &str) -> Option<&'a Rule> {
    rules.iter().rev().find(|rule| rule.files.matches(name))
}

/// The words that the rule's line writes about a file.
fn variants_of(rule: &Rule, folder: &Path, file: &str) -> Result<Vec<String>> {
    let mut command = Command::new("sh");
    command.args(["-e", "-c", &rule.command]).env("source", file).current_dir(folder);
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{file}: {}: {}", rule.command, said.trim()).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect())
}

fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect);
    entries.map_err(|error| format!("{}: {error}", folder.display()).into())
}

/// `sources`: no build file above has a say about sources that lie around.
fn walk(checkout: &Path, folder: &Path, sources: bool, found: &mut Vec<Program>) -> Result<()> {
    let here = checkout.join(folder);
    let program = |name: &Path, builder, needs| Program {
        name: name.to_string_lossy().into_owned(),
        folder: folder.to_owned(),
        builder,
        needs,
    };
    let makefile =
        ["GNUmakefile", "makefile", "Makefile"].iter().find_map(|name| read(&here.join(name)));
    let cmake = read(&here.join("CMakeLists.txt")).map(|text| with_included(&text, &here));
    let sources = sources && makefile.is_none() && cmake.is_none();
    if let Some(text) = &makefile
        && text.contains("nvcc")
    {
        found.push(program(folder, Builder::Make, needs::of_makefile(text)));
        return Ok(());
    }
    if let Some(text) = &cmake
        && text.contains("add_executable(")
        && text.contains("project(")
        && text.contains("CUDA")
    {
        found.push(program(folder, Builder::CMake, needs::of_cmake(text)));
        return Ok(());
    }
    if sources {
        for (name, files) in of_sources(&here)? {
            let name = if name.is_empty() { folder.to_owned() } else { folder.join(name) };
            found.push(program(&name, Builder::Sources(files), None));
        }
    }
    let mut below = Vec::new();
    for entry in entries(&here)? {
        let name = entry.file_name();
        if entry.file_type()?.is_dir() && !name.to_string_lossy().starts_with('.') {
            below.push(folder.join(name));
        }
    }
    below.sort();
    for folder in below {
        walk(checkout, &folder, sources, found)?;
    }
    Ok(())
}

/// The programs of a folder: where one file has a `main`, all files make one program, which has the folder's name; else
/// each file that has one is a program.
fn of_sources(folder: &Path) -> Result<Vec<(String, Vec<String>)>> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let sources = files(folder, "cu")?;
    let mains: Vec<&PathBuf> = sources
        .iter()
        .filter(|path| read(path).is_some_and(|text| text.contains(" main(")))
        .collect();
    Ok(match mains.as_slice() {
        [main] if sources.len() > 1 || name(main) == "main.cu" => {
            vec![(String::new(), sources.iter().map(|path| name(path)).collect())]
        }
        mains => mains.iter().map(|path| (stem(path), vec![name(path)])).collect(),
    })
}

/// A CMakeLists.txt with the files that it includes by their paths: collections have functions there that make programs.
fn with_included(text: &str, folder: &Path) -> String {
    let path = |line: &str| {
        let path = line.trim().strip_prefix("include(")?.split(')').next()?.trim_matches('"');
        read(&folder.join(path))
    };
    let included: Vec<String> = text.lines().filter_map(path).collect();
    [text.to_owned(), included.join("\n")].join("\n")
}

/// A text; foreign files may hold bytes of any encoding.
fn read(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

/// Takes the leading parts off each name that it does not need to differ from all others.
fn shorten(programs: &mut [Program]) {
    let suffixes = |name: &str| -> Vec<String> {
        let parts: Vec<&str> = name.split('/').collect();
        (1..=parts.len()).map(|count| parts[parts.len() - count..].join("/")).collect()
    };
    let mut uses: HashMap<String, usize> = HashMap::new();
    for program in programs.iter() {
        for suffix in suffixes(&program.name) {
            *uses.entry(suffix).or_default() += 1;
        }
    }
    for program in programs {
        if let Some(short) = suffixes(&program.name).into_iter().find(|name| uses[name] == 1) {
            program.name = short;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::expectations::Expectations;

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn programs_are_found_by_their_build_files() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write(folder, "a/scan/Makefile", "CC = nvcc\nmain: main.cu\n\t$(CC) main.cu -lcudnn\n");
        write(folder, "a/scan/tests/main.cu", "int main() {}");
        write(
            folder,
            "b/scan/CMakeLists.txt",
            "project(scan CUDA)\nadd_executable(scan scan.cu)\n",
        );
        write(folder, "b/CMakeLists.txt", "add_subdirectory(scan)\n");
        write(
            folder,
            "b/dot/CMakeLists.txt",
            "project(dot CUDA)\ninclude(../programs.cmake)\nadd_example(dot dot.cu)\n",
        );
        write(
            folder,
            "b/programs.cmake",
            "function(add_example name)\nadd_executable(${name})\nendfunction()\n",
        );
        write(folder, "b/other/main.cu", "int main() {}");
        write(folder, "c/Makefile", "CC = hipcc\n");
        write(folder, "c/main.cu", "int main() {}");
        write(folder, "d/one.cu", "int main() {}");
        write(folder, "d/two.cu", "int main() {}");
        write(folder, "d/three/main.cu", "int main() {}");
        write(folder, "d/three/part.cu", "");
        let found = programs(folder, &Expectations::default()).unwrap();
        let names: Vec<&str> = found.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, ["a/scan", "b/scan", "dot", "one", "three", "two"]);
        assert_eq!(found[0].builder, Builder::Make);
        assert_eq!(found[0].needs, Some("cuDNN"));
        assert_eq!(found[1].builder, Builder::CMake);
        assert_eq!(found[3].builder, Builder::Sources(vec!["one.cu".into()]));
        assert_eq!(found[4].builder, Builder::Sources(vec!["main.cu".into(), "part.cu".into()]));
        assert_eq!(found[4].folder, Path::new("d/three"));
    }

    #[test]
    fn files_that_the_list_calls_programs_are_programs() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for file in ["Makefile", "a/Makefile", "a/x.cu", "a/b/x.cu", "a/b/x.h", "c/x.cu", ".g/x.cu"]
        {
            write(folder, file, "nvcc int main() {}");
        }
        let list = "**/*.cu: source nvcc  # all\na/b/*.cu: source nvcc -G  # those\n\
                    a/*.cu: source nvcc -g  # and those\n";
        let list = Expectations::parse("x", list).unwrap();
        let found = programs(folder, &list).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|program| match &program.builder {
                Builder::Command { source, line, .. } => {
                    (program.name.as_str(), source.as_str(), line.as_str())
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            found,
            [
                ("a/b/x.cu", "x.cu", "nvcc -G"),
                ("a/x.cu", "x.cu", "nvcc -g"),
                ("c/x.cu", "x.cu", "nvcc")
            ]
        );
    }

    #[test]
    fn a_file_is_as_many_programs_as_the_list_finds_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write(folder, "a/x.cu", "SIZE=8 SIZE=16");
        write(folder, "a/y.cu", "");
        let list =
            "**/*.cu: source nvcc $variant  # all\n**/*.cu: variants cat $source  # its sizes\n";
        let found = programs(folder, &Expectations::parse("x", list).unwrap()).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|program| (program.name.as_str(), program.product().unwrap()))
            .collect();
        assert_eq!(
            found,
            [
                ("a/x.cu", "x.cu.corpus".to_owned()),
                ("a/x.cu@SIZE=16", "x.cu@SIZE=16.corpus".to_owned()),
                ("a/x.cu@SIZE=8", "x.cu@SIZE=8.corpus".to_owned()),
                ("a/y.cu", "y.cu.corpus".to_owned())
            ]
        );
        let failing = list.replace("cat $source", "cat missing");
        let failing = Expectations::parse("x", &failing).unwrap();
        assert!(programs(folder, &failing).unwrap_err().to_string().contains("cat missing"));
    }
}
