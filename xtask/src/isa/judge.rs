//! The verdicts of ptxas and of our parser on instructions.

use super::environment::Environment;
use crate::Result;
use ptx_parser::isa::Named;
use ptx_parser::{Directive, Error, Module, ScalarType, StateSpace, Statement};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The reason why an instruction is refused; none where it is taken.
pub type Verdict = Option<String>;

/// Instructions of one run of ptxas. A run has to be repeated for each that the grammar does not know.
const CHUNK: usize = 2_000;

/// The errors of words that the assembler does not know, whatever version and target.
const UNKNOWN: [&str; 2] = ["Unknown modifier", "Not a name of any known instruction"];

/// More would slow down a machine with other work.
const PROCESSES: usize = 2;

pub struct Ptxas {
    /// The assemblers, by the names of their toolkits.
    pub paths: BTreeMap<&'static str, PathBuf>,
    pub folder: PathBuf,
    /// The instructions that have unknown words for a toolkit, and the error: newer words are many for an old one.
    unknown: Mutex<HashMap<(&'static str, String), String>>,
}

/// A request: instructions for one version and target.
pub struct Question {
    pub environment: Environment,
    /// With samplers apart from textures.
    pub independent: bool,
    pub instructions: Vec<String>,
}

impl Ptxas {
    /// The assemblers, by the names of their toolkits. `folder` is for modules.
    pub fn new(paths: BTreeMap<&'static str, PathBuf>, folder: PathBuf) -> Self {
        Ptxas { paths, folder, unknown: Mutex::default() }
    }

    /// The verdicts on each question's instructions.
    pub fn ask(&self, questions: &[Question]) -> Result<Vec<Vec<Verdict>>> {
        let work: Vec<(usize, usize)> = questions
            .iter()
            .enumerate()
            .flat_map(|(q, question)| {
                (0..question.instructions.len()).step_by(CHUNK).map(move |at| (q, at))
            })
            .collect();
        let next = AtomicUsize::new(0);
        let answers = Mutex::new(BTreeMap::new());
        let failure = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..PROCESSES {
                scope.spawn(|| {
                    while let Some((q, at)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let question = &questions[*q];
                        let end = (at + CHUNK).min(question.instructions.len());
                        let file = self.folder.join(format!("{q}_{at}.ptx"));
                        match self.chunk(
                            (question.environment, question.independent),
                            &question.instructions[*at..end],
                            &file,
                        ) {
                            Ok(verdicts) => {
                                if let Ok(mut answers) = answers.lock() {
                                    answers.insert((*q, *at), verdicts);
                                }
                            }
                            Err(error) => {
                                if let Ok(mut failure) = failure.lock() {
                                    *failure = Some(error);
                                }
                                return;
                            }
                        }
                    }
                });
            }
        });
        if let Ok(mut failure) = failure.lock()
            && let Some(error) = failure.take()
        {
            return Err(error);
        }
        let mut all = vec![Vec::new(); questions.len()];
        for ((question, _), verdicts) in answers.into_inner().map_err(|_| "a thread failed")? {
            all[question].extend(verdicts);
        }
        Ok(all)
    }

    fn path(&self, environment: Environment) -> Result<&Path> {
        let name = environment.toolkit().name;
        Ok(self.paths.get(name).ok_or_else(|| format!("no ptxas of CUDA {name}"))?)
    }

    fn halves(
        &self,
        environment: (Environment, bool),
        instructions: &[String],
        file: &Path,
    ) -> Result<Vec<Verdict>> {
        let (left, right) = instructions.split_at(instructions.len() / 2);
        let mut verdicts = self.chunk(environment, left, file)?;
        verdicts.extend(self.chunk(environment, right, file)?);
        Ok(verdicts)
    }

    /// ptxas names the line of every error, but stops at the first that its grammar does not know: that line is taken out, and
    /// ptxas asked about those behind it, until it comes to the end; then about all that are left.
    fn chunk(
        &self,
        environment: (Environment, bool),
        instructions: &[String],
        file: &Path,
    ) -> Result<Vec<Verdict>> {
        let mut verdicts = vec![None; instructions.len()];
        let mut broken = vec![false; instructions.len()];
        let toolkit = environment.0.toolkit().name;
        if let Ok(unknown) = self.unknown.lock() {
            for (index, instruction) in instructions.iter().enumerate() {
                verdicts[index] = unknown.get(&(toolkit, instruction.clone())).cloned();
                broken[index] = verdicts[index].is_some();
            }
        }
        let mut from = 0;
        loop {
            let lines =
                instructions.iter().zip(&broken).enumerate().map(|(index, (i, broken))| {
                    if *broken || index < from { "" } else { i.as_str() }
                });
            let (module, first) = environment.0.module(environment.1, lines);
            std::fs::write(file, module)?;
            let virtual_architecture = environment.0.target.replace("sm_", "compute_");
            let output = Command::new(self.path(environment.0)?)
                .arg(format!("-arch={virtual_architecture}"))
                .arg(file)
                .args(["-o", "/dev/null"])
                .stdin(Stdio::null())
                .output()?;
            if !matches!(output.status.code(), Some(0 | 255)) {
                if let [verdict] = &mut verdicts[..] {
                    *verdict = Some(format!("ptxas fails: {}", output.status));
                    return Ok(verdicts);
                }
                return self.halves(environment, instructions, file);
            }
            let text = String::from_utf8_lossy(&output.stderr);
            let mut stopped_at = None;
            for line in text.lines() {
                let Some((_, rest)) = line.split_once(", line ") else {
                    if line.contains("aborted")
                        || line.starts_with("ptxas info")
                        || line.starts_with("ptxas warning")
                    {
                        continue;
                    }
                    return Err(format!("ptxas {environment:?}: {line}").into());
                };
                if line.starts_with("ptxas <macro") {
                    if let [verdict] = &mut verdicts[..] {
                        *verdict = Some(rest.to_owned());
                        return Ok(verdicts);
                    }
                    // Which instruction made the macro is not said.
                    return self.halves(environment, instructions, file);
                }
                let Some((number, message)) = rest.split_once(';') else { continue };
                let number: usize = number.parse()?;
                let message = message
                    .trim()
                    .trim_start_matches("error")
                    .trim_start_matches("fatal")
                    .trim_start_matches([' ', ':']);
                if rest.contains("; warning") || rest.contains("; info") {
                    continue;
                }
                let Some(index) = number.checked_sub(first).filter(|i| *i < instructions.len())
                else {
                    return Err(format!("ptxas {environment:?}: {line}").into());
                };
                verdicts[index].get_or_insert_with(|| message.to_owned());
                if rest.contains("; fatal") {
                    if UNKNOWN.iter().any(|text| message.starts_with(text))
                        && let Ok(mut unknown) = self.unknown.lock()
                    {
                        unknown.insert((toolkit, instructions[index].clone()), message.to_owned());
                    }
                    broken[index] = true;
                    stopped_at = Some(index);
                }
            }
            from = match stopped_at {
                Some(index) => index + 1,
                None if from != 0 => 0,
                None => {
                    std::fs::remove_file(file)?;
                    return Ok(verdicts);
                }
            };
        }
    }
}

/// The verdicts of our parser.
pub fn ours(question: &Question) -> Vec<Verdict> {
    let mut verdicts = vec![None; question.instructions.len()];
    for (chunk, instructions) in question.instructions.chunks(CHUNK).enumerate() {
        let (module, first) = question
            .environment
            .module(question.independent, instructions.iter().map(String::as_str));
        let starts: Vec<usize> =
            std::iter::once(0).chain(module.match_indices('\n').map(|(i, _)| i + 1)).collect();
        let parse = ptx_parser::parse(&module);
        let operands = wrong_operands(&parse.module);
        for error in parse.errors.into_iter().chain(operands) {
            let line = starts.partition_point(|s| *s <= error.span.start as usize);
            if let Some(index) = line.checked_sub(first).filter(|i| *i < instructions.len()) {
                verdicts[chunk * CHUNK + index].get_or_insert_with(|| error.message.clone());
            } else {
                verdicts.fill(Some(format!("line {line}: {}", error.message)));
            }
        }
    }
    verdicts
}

/// The operands that are of wrong types in the kernel that the prelude begins.
fn wrong_operands(module: &Module<'_>) -> Vec<Error> {
    let body = module.directives.iter().find_map(|directive| match directive {
        Directive::Function(function) => function.body.as_ref(),
        _ => None,
    });
    let mut registers: HashMap<&str, ScalarType> = HashMap::new();
    let mut errors = Vec::new();
    for statement in body.into_iter().flatten() {
        match statement {
            Statement::Variable(variable) if variable.range.is_some() => {
                registers.insert(variable.name, variable.type_);
            }
            Statement::Instruction(guarded) => {
                let named = |name: &str| match registers
                    .get(name.trim_end_matches(|c: char| c.is_ascii_digit()))
                {
                    Some(type_) => Some(Named::Register(*type_, None)),
                    None => match name {
                        "sh" => Some(Named::Variable(StateSpace::Shared)),
                        "gl" => Some(Named::Variable(StateSpace::Global)),
                        "L" => Some(Named::Label),
                        "BT" => Some(Named::Targets),
                        _ => None,
                    },
                };
                let mut wrong = guarded.instruction.wrong_operand(named);
                guarded.instruction.names(|name, _| {
                    if name.starts_with('%') && named(name).is_none() {
                        wrong.get_or_insert_with(|| format!("`{name}` is not declared"));
                    }
                });
                errors.extend(wrong.map(|wrong| Error::invalid(guarded.span, wrong)));
            }
            _ => {}
        }
    }
    errors
}
