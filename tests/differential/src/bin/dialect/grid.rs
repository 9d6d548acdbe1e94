//! Versions of PTX and targets.

use crate::case::Form;

#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    pub version: (u32, u32),
    pub target: &'static str,
}

impl Dialect {
    /// The version as `.version` has it.
    pub fn version_text(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// Whether it is among the few that stand for all.
    pub fn is_among_few(&self) -> bool {
        FEW.contains(&(self.target, self.version))
    }

    /// Whether kernels run in it, where few are asked. Single precision is another before sm_20.
    pub fn is_run(&self, form: Option<Form>) -> bool {
        let dialect = (self.target, self.version);
        match form {
            Some(Form::Old) => dialect == ("sm_13", (1, 3)),
            Some(Form::Usual) => dialect == ("sm_13", (1, 5)),
            Some(Form::New) => dialect == ("sm_90", (9, 0)),
            None => dialect == ("sm_13", (1, 5)) || dialect == ("sm_90", (9, 0)),
        }
    }
}

impl std::fmt::Display for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.version_text(), self.target)
    }
}

/// The number of minor versions of each major version.
const MINORS: [u32; 9] = [6, 4, 3, 4, 2, 6, 9, 9, 1];

const TARGETS: &[&str] = &[
    "sm_10",
    "sm_11",
    "sm_12",
    "sm_13",
    "sm_20",
    "sm_21",
    "sm_30",
    "sm_32",
    "sm_35",
    "sm_37",
    "sm_50",
    "sm_52",
    "sm_53",
    "sm_60",
    "sm_61",
    "sm_62",
    "sm_70",
    "sm_72",
    "sm_75",
    "sm_80",
    "sm_86",
    "sm_87",
    "sm_88",
    "sm_89",
    "sm_90",
    "sm_90a",
    "sm_100",
    "sm_100a",
    "sm_100f",
    "sm_120",
    "compute_20",
    "compute_90",
];

/// Each target with versions from its first on, the old ones with most.
const CHOSEN: &[(&str, &[(u32, u32)])] = &[
    ("sm_10", &[(1, 0), (1, 1), (1, 3), (1, 4), (1, 5), (2, 0), (2, 3)]),
    ("sm_11", &[(1, 1)]),
    ("sm_12", &[(1, 2)]),
    ("sm_13", &[(1, 2), (1, 3), (1, 4), (1, 5), (2, 0), (3, 0), (4, 0), (6, 0)]),
    ("sm_20", &[(2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1), (4, 2), (6, 4)]),
    ("sm_30", &[(3, 0), (3, 2), (4, 1), (6, 0)]),
    ("sm_35", &[(3, 1), (5, 0)]),
    ("sm_50", &[(4, 0), (4, 3), (6, 4), (7, 8)]),
    ("sm_53", &[(4, 2)]),
    ("sm_60", &[(5, 0), (6, 2)]),
    ("sm_70", &[(6, 0), (6, 3), (6, 4), (8, 0)]),
    ("sm_75", &[(6, 3), (6, 5), (7, 5), (9, 0)]),
    ("sm_80", &[(7, 0), (8, 5)]),
    ("sm_90", &[(7, 8), (8, 1), (8, 8), (9, 0)]),
    ("sm_90a", &[(8, 0), (9, 0)]),
];

const FEW: [(&str, (u32, u32)); 8] = [
    ("sm_10", (1, 0)),
    ("sm_13", (1, 3)),
    ("sm_10", (1, 4)),
    ("sm_13", (1, 5)),
    ("sm_20", (2, 0)),
    ("sm_30", (3, 0)),
    ("sm_75", (6, 3)),
    ("sm_90", (9, 0)),
];

/// The dialects that most cases are asked for.
pub fn chosen() -> Vec<Dialect> {
    let dialects = CHOSEN.iter().flat_map(|(target, versions)| {
        versions.iter().map(|version| Dialect { version: *version, target })
    });
    dialects.collect()
}

/// Every version with every target.
pub fn all() -> Vec<Dialect> {
    let versions =
        (1..).zip(MINORS).flat_map(|(major, minors)| (0..minors).map(move |minor| (major, minor)));
    versions
        .flat_map(|version| TARGETS.iter().map(move |target| Dialect { version, target }))
        .collect()
}
