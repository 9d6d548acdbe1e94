//! The files of cases.

/// A case: what is loaded or linked, with which options, and what is asked of the result.
#[derive(Debug, Default)]
pub struct Case {
    pub name: String,
    /// The modules with their names; one without a name is loaded and not linked.
    pub inputs: Vec<(Option<String>, String)>,
    /// Files with their kind, a number of `CUjitInputType`, added behind the modules.
    pub files: Vec<(u32, String)>,
    pub linked: bool,
    pub settings: Vec<Setting>,
    pub questions: Vec<Question>,
}

/// A line that says which options the calls get.
#[derive(Debug)]
pub enum Setting {
    ErrorBuffer(usize),
    ErrorSize(usize),
    InfoBuffer(usize),
    InfoSize(usize),
    Verbose(usize),
    WallTime,
    Other(i32, i64),
}

#[derive(Debug)]
pub enum Question {
    Global(String),
    Run(String),
}

/// The cases of a text, each behind its lines `//! `.
pub fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        let Some(command) = line.strip_prefix("//! ") else {
            if let Some(case) = cases.last_mut() {
                if case.inputs.is_empty() {
                    case.inputs.push((None, String::new()));
                }
                let (_, input) = case.inputs.last_mut().unwrap();
                input.push_str(line);
                input.push('\n');
            }
            continue;
        };
        let words: Vec<&str> = command.split(' ').collect();
        if let ["case", name] = words[..] {
            cases.push(Case { name: name.to_owned(), ..Case::default() });
            continue;
        }
        let case = cases.last_mut().unwrap_or_else(|| panic!("{line}: no case before"));
        let number = |word: &str| word.parse::<i64>().unwrap_or_else(|_| panic!("{line}"));
        let size = |word: &str| number(word) as usize;
        match words[..] {
            ["input", name] => {
                case.linked = true;
                case.inputs.push((Some(name.to_owned()), String::new()));
            }
            ["link"] => case.linked = true,
            ["file", kind, path] => {
                case.linked = true;
                case.files.push((number(kind) as u32, path.to_owned()));
            }
            ["error", n] => {
                case.settings.extend([Setting::ErrorBuffer(size(n)), Setting::ErrorSize(size(n))])
            }
            ["info", n] => {
                case.settings.extend([Setting::InfoBuffer(size(n)), Setting::InfoSize(size(n))])
            }
            ["error-buffer", n] => case.settings.push(Setting::ErrorBuffer(size(n))),
            ["error-size", n] => case.settings.push(Setting::ErrorSize(size(n))),
            ["verbose", n] => case.settings.push(Setting::Verbose(size(n))),
            ["wall", _] => case.settings.push(Setting::WallTime),
            ["option", option, value] => {
                case.settings.push(Setting::Other(number(option) as i32, number(value)))
            }
            ["global", name] => case.questions.push(Question::Global(name.to_owned())),
            ["run", name] => case.questions.push(Question::Run(name.to_owned())),
            _ => panic!("{line}: unknown"),
        }
    }
    for case in &mut cases {
        if case.settings.is_empty() {
            case.settings.extend([
                Setting::ErrorBuffer(8192),
                Setting::ErrorSize(8192),
                Setting::InfoBuffer(8192),
                Setting::InfoSize(8192),
            ]);
        }
    }
    cases
}
