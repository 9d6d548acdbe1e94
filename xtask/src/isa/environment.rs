//! Versions and targets that instructions are judged for, and the module around them.

use crate::toolkit::{CUDA_13_0, CUDA_13_5, CudaVersion};

/// `.version` and `.target` of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Environment {
    pub version: &'static str,
    pub target: &'static str,
}

const fn at(version: &'static str, target: &'static str) -> Environment {
    Environment { version, target }
}

/// Together these take everything that ptxas takes anywhere.
pub const WIDEST: &[Environment] = &[
    at("9.0", "sm_90a"),
    at("9.0", "sm_100a"),
    at("9.0", "sm_103a"),
    at("9.0", "sm_120a"),
    at("9.5", "sm_90a"),
    at("9.5", "sm_100a"),
    at("9.5", "sm_103a"),
    at("9.5", "sm_107a"),
    at("9.5", "sm_120a"),
];

/// All targets from compute_75 on, and the versions that brought something, each with the newest target
/// that it knows.
pub const ALL: &[Environment] = &[
    at("9.0", "sm_75"),
    at("9.0", "sm_80"),
    at("9.0", "sm_86"),
    at("9.0", "sm_87"),
    at("9.0", "sm_89"),
    at("9.0", "sm_90"),
    at("9.0", "sm_90a"),
    at("9.0", "sm_100"),
    at("9.0", "sm_100f"),
    at("9.0", "sm_100a"),
    at("9.0", "sm_103"),
    at("9.0", "sm_103f"),
    at("9.0", "sm_103a"),
    at("9.0", "sm_110"),
    at("9.0", "sm_110f"),
    at("9.0", "sm_110a"),
    at("9.0", "sm_120"),
    at("9.0", "sm_120f"),
    at("9.0", "sm_120a"),
    at("9.0", "sm_121a"),
    at("6.3", "sm_75"),
    at("6.4", "sm_75"),
    at("6.5", "sm_75"),
    at("7.0", "sm_80"),
    at("7.1", "sm_86"),
    at("7.2", "sm_86"),
    at("7.3", "sm_86"),
    at("7.4", "sm_87"),
    at("7.5", "sm_87"),
    at("7.6", "sm_87"),
    at("7.7", "sm_87"),
    at("7.8", "sm_90"),
    at("8.0", "sm_90a"),
    at("8.1", "sm_90a"),
    at("8.2", "sm_90a"),
    at("8.3", "sm_90a"),
    at("8.4", "sm_90a"),
    at("8.5", "sm_90a"),
    at("8.6", "sm_90a"),
    at("8.6", "sm_100a"),
    at("8.7", "sm_100a"),
    at("8.7", "sm_120a"),
    at("8.8", "sm_90a"),
    at("8.8", "sm_100a"),
    at("8.8", "sm_103a"),
    at("8.8", "sm_100f"),
    at("8.8", "sm_120a"),
    at("8.8", "sm_120f"),
    at("9.1", "sm_90a"),
    at("9.1", "sm_100a"),
    at("9.1", "sm_120a"),
    at("9.2", "sm_90a"),
    at("9.2", "sm_100a"),
    at("9.2", "sm_120f"),
    at("9.3", "sm_90a"),
    at("9.3", "sm_100a"),
    at("9.3", "sm_120a"),
    at("9.4", "sm_90a"),
    at("9.4", "sm_100a"),
    at("9.4", "sm_103a"),
    at("9.4", "sm_107a"),
    at("9.4", "sm_120a"),
    at("9.5", "sm_75"),
    at("9.5", "sm_80"),
    at("9.5", "sm_87"),
    at("9.5", "sm_88"),
    at("9.5", "sm_89"),
    at("9.5", "sm_90"),
    at("9.5", "sm_90a"),
    at("9.5", "sm_100"),
    at("9.5", "sm_100f"),
    at("9.5", "sm_100a"),
    at("9.5", "sm_103"),
    at("9.5", "sm_103f"),
    at("9.5", "sm_103a"),
    at("9.5", "sm_107"),
    at("9.5", "sm_107f"),
    at("9.5", "sm_107a"),
    at("9.5", "sm_110"),
    at("9.5", "sm_110f"),
    at("9.5", "sm_110a"),
    at("9.5", "sm_120"),
    at("9.5", "sm_120f"),
    at("9.5", "sm_120a"),
    at("9.5", "sm_121a"),
];

/// The last version that ptxas of CUDA 13.0 knows.
const VERSION_OF_13_0: u32 = 900;

impl Environment {
    /// The toolkit whose ptxas judges: each version is asked of an early one that knows it, as later ones change their
    /// minds about old forms.
    pub fn toolkit(self) -> CudaVersion {
        if self.number() <= VERSION_OF_13_0 { CUDA_13_0 } else { CUDA_13_5 }
    }

    /// A module with one instruction a line, and the line of the first.
    pub fn module<'i>(
        self,
        independent: bool,
        instructions: impl Iterator<Item = &'i str>,
    ) -> (String, usize) {
        let mut text = format!(
            ".version {}\n.target {}{}\n.address_size 64\n",
            self.version,
            self.target,
            if independent { ", texmode_independent" } else { "" }
        );
        // b128 registers came late.
        let wide = if self.number() >= 803 { ".reg .b128 %q<9>;" } else { "" };
        if independent {
            text.push_str(".global .samplerref smp0;\n");
        }
        text.push_str(PRELUDE);
        text.push_str(&format!("{wide}\n"));
        let first = text.lines().count() + 1;
        for instruction in instructions {
            text.push_str(instruction);
            text.push('\n');
        }
        text.push_str("L:\nret;\n}\n");
        (text, first)
    }

    /// 803 for 8.3.
    fn number(self) -> u32 {
        let (major, minor) = self.version.split_once('.').unwrap_or(("0", "0"));
        let parse = |text: &str| text.parse::<u32>().unwrap_or(0);
        parse(major) * 100 + parse(minor)
    }
}

/// The declarations of what the operands of [`super::operand`] name.
const PRELUDE: &str = "\
.global .texref tex0;
.global .surfref srf0;
.shared .align 16 .b8 sh[1024];
.global .align 16 .b8 gl[1024];
.const .align 16 .b8 co[1024];
.func fn0();
.entry k(.param .align 16 .b8 pp[64])
{
.local .align 16 .b8 lo[64];
.reg .pred %p<9>; .reg .b8 %bb<9>; .reg .b16 %h<9>; .reg .b32 %r<300>; .reg .f32 %f<300>; .reg .b64 %rd<9>; .reg .f64 %fd<9>;
BT: .branchtargets L;
";
