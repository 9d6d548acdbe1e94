//! Runs an operation and its pseudo code on the same operands.

use crate::evaluate::{Evaluation, Operations};
use crate::operands::{float, width};
use crate::syntax::Statement;
use crate::value::{Format, Rounding, Type, Value};
use zluda_hip_emu::isa::{self, Action, Kind, Mode, Number, Round};

/// A mode without flushing.
fn mode(ieee: bool, rounding: Rounding) -> Mode {
    let round = match rounding {
        Rounding::NearestEven => Round::NearestEven,
        Rounding::Zero => Round::Zero,
        Rounding::Up => Round::Up,
        Rounding::Down => Round::Down,
    };
    Mode {
        round_f32: round,
        round_f64: round,
        flush_in_f32: false,
        flush_out_f32: false,
        flush_in_f64: false,
        flush_out_f64: false,
        dx10_clamp: true,
        ieee,
    }
}

/// An operation of either unit.
#[derive(Clone, Copy)]
pub enum Subject {
    Vector(&'static isa::Operation),
    Scalar(&'static isa::ScalarOperation),
}

/// The operands of an operation beside its sources, and the mode.
#[derive(Clone, Copy, Debug)]
pub struct Extra {
    /// VCC's bit of the lane, or SCC.
    pub flag: bool,
    pub number: u32,
    pub ieee: bool,
    pub rounding: Rounding,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    pub value: u64,
    pub flag: Option<bool>,
}

impl Subject {
    pub fn of(mnemonic: &str) -> Option<Subject> {
        isa::vector(mnemonic)
            .map(Subject::Vector)
            .or_else(|| isa::scalar(mnemonic).map(Subject::Scalar))
    }

    pub fn sources(self) -> &'static [Kind] {
        match self {
            Subject::Vector(operation) => operation.sources,
            Subject::Scalar(operation) => operation.sources,
        }
    }

    pub fn result(self) -> Kind {
        match self {
            Subject::Vector(operation) => operation.result,
            Subject::Scalar(operation) => operation.result,
        }
    }

    fn reads_destination(self) -> bool {
        match self {
            Subject::Vector(operation) => operation.reads_destination,
            Subject::Scalar(operation) => operation.reads_destination,
        }
    }

    fn number(self) -> Option<Number> {
        match self {
            Subject::Vector(isa::Operation { action: Action::WithNumber(number, _), .. }) => {
                Some(*number)
            }
            _ => None,
        }
    }

    /// All that is worth trying with this text.
    pub fn extras(self, text: &str) -> Vec<Extra> {
        let numbers: &[u32] = match self.number() {
            Some(Number::Lane) => &[0, 5, 31, 32, 63],
            Some(Number::Signs) => &[0, 1, 2, 3],
            Some(Number::Table) => &[0, 1, 2, 4, 8, 16, 32, 64, 128, 0x96, 0xe8, 0xff],
            Some(Number::Byte) => &[0, 1, 2, 3],
            Some(Number::Mix) => &[0, 0o70, 0o77, 0o31, 0o42],
            None => &[0],
        };
        let flags: &[bool] = match self {
            Subject::Scalar(_) => &[false, true],
            Subject::Vector(operation) => match operation.action {
                Action::WithFlag(_) | Action::WithAndFlag(_) => &[false, true],
                _ => &[false],
            },
        };
        let modes: &[bool] =
            if text.contains("v_m") || text.contains("IEEE") { &[true, false] } else { &[true] };
        // The interpreter computes in `f64`, which rounds to nearest.
        let has_double = self.sources().contains(&Kind::F64) || self.result() == Kind::F64;
        let roundings: &[Rounding] = match float(self.result()) {
            Some(_) if !has_double || text.contains("f64_to_f32") => {
                &[Rounding::NearestEven, Rounding::Zero, Rounding::Up, Rounding::Down]
            }
            _ => &[Rounding::NearestEven],
        };
        let mut extras = Vec::new();
        for &number in numbers {
            for &flag in flags {
                for &ieee in modes {
                    let extra = |&rounding: &Rounding| Extra { flag, number, ieee, rounding };
                    extras.extend(roundings.iter().map(extra));
                }
            }
        }
        extras
    }

    /// Ours.
    pub fn run(self, sources: [u64; 3], extra: Extra) -> Answer {
        let mode = mode(extra.ieee, extra.rounding);
        let (value, flag) = match self {
            Subject::Scalar(operation) => {
                let (value, scc) = (operation.run)(&mode, sources, extra.flag);
                (value, Some(scc))
            }
            Subject::Vector(operation) => match operation.action {
                Action::Value(run) => (run(&mode, sources), None),
                Action::Test(run) => (run(&mode, sources).into(), None),
                Action::WithFlag(run) => (run(&mode, sources, extra.flag), None),
                Action::WithNumber(_, run) => (run(&mode, sources, extra.number), None),
                Action::AndFlag(run) => {
                    let (value, flag) = run(&mode, sources);
                    (value, Some(flag))
                }
                Action::WithAndFlag(run) => {
                    let (value, flag) = run(&mode, sources, extra.flag);
                    (value, Some(flag))
                }
            },
        };
        Answer { value, flag }
    }

    /// The manual's.
    pub fn interpret(
        self,
        mnemonic: &str,
        body: &[Statement],
        operations: Operations,
        sources: [u64; 3],
        extra: Extra,
    ) -> Result<Answer, String> {
        let mut evaluation = Evaluation::new(operations);
        self.bind(&mut evaluation, mnemonic, sources, extra);
        evaluation.rounding = extra.rounding;
        evaluation.run(body)?;
        let lane = self.lane(extra);
        let d0 = evaluation.get(if mnemonic.starts_with("v_cmpx") { "EXEC" } else { "D0" });
        let d0 =
            d0.map_or(0, |value| value.bits) >> if mnemonic.contains("mixhi") { 16 } else { 0 };
        let bit = |name: &str| evaluation.get(name).map(|value| value.bits >> lane & 1 == 1);
        let flag = match self {
            Subject::Scalar(_) => evaluation.get("SCC").map(Value::is_true),
            Subject::Vector(operation) => match operation.action {
                Action::AndFlag(_) | Action::WithAndFlag(_) => {
                    evaluation.get("D1").map(Value::is_true).or_else(|| bit("VCC"))
                }
                _ => None,
            },
        };
        let value = match (self, self.result()) {
            (Subject::Vector(_), Kind::None) => (d0 >> lane & 1) as u64,
            (_, Kind::None) => 0,
            (_, kind) => d0 as u64 & (u64::MAX >> (64 - width(kind))),
        };
        Ok(Answer { value, flag })
    }

    fn lane(self, extra: Extra) -> u32 {
        if self.number() == Some(Number::Lane) { extra.number } else { 0 }
    }

    fn bind(self, evaluation: &mut Evaluation, mnemonic: &str, sources: [u64; 3], extra: Extra) {
        let raw = |bits: u64| Value::new(Type::Bits(128), bits.into());
        let number = |value: u32| Value::new(Type::Unsigned(32), value.into());
        let kinds = self.sources();
        let mut places: Vec<&str> = vec!["S0", "S1", "S2"];
        places.truncate(kinds.len());
        if mnemonic.contains("fmamk") || mnemonic.contains("madmk") {
            places = vec!["S0", "SIMM32", "S1"];
        } else if mnemonic.contains("fmaak") || mnemonic.contains("madak") {
            places = vec!["S0", "S1", "SIMM32"];
        } else if self.reads_destination() {
            places[kinds.len() - 1] = "D0";
        }
        // Where the manual does not say what a scaled operand is otherwise, it is as it was.
        if mnemonic.contains("div_scale") {
            evaluation.set("D0", raw(sources[0]));
        }
        for (index, place) in places.iter().enumerate() {
            evaluation.set(place, raw(sources[index]));
            // A multiply-add into its destination names it S2 as well.
            if *place == "D0" {
                evaluation.set("S2", raw(sources[index]));
            }
            if *place == "SIMM32" || kinds[index] == Kind::B16 {
                evaluation.set("SIMM16", raw(sources[index]));
            }
        }
        let lane = self.lane(extra);
        evaluation.set("laneId", number(lane));
        evaluation.set("VCC", Value::new(Type::Unsigned(64), u128::from(extra.flag) << lane));
        evaluation.set("SCC", Value::flag(extra.flag));
        evaluation.set("WAVE_MODE.IEEE", Value::flag(extra.ieee));
        evaluation.set("SDWA_SRC0_SEL", number(extra.number));
        for (value, name) in ["WORD0.b2", "BYTE1.b3", "BYTE2.b3", "BYTE3.b3"].iter().enumerate() {
            evaluation.set(name, number(value as u32));
        }
        evaluation.set("WORD1.b2", number(1));
        evaluation.set("NEG", number(extra.number));
        evaluation.set("INST.NEG", number(extra.number & 7));
        evaluation.set("INST.ABS", number(extra.number >> 3 & 7));
        evaluation.set("INST.OMOD", number(extra.number >> 6));
        let (select, select_high) = match self.number() {
            Some(Number::Mix) => (extra.number & 7, extra.number >> 3 & 7),
            // The two bits that select a byte are reversed.
            Some(Number::Byte) => ((extra.number & 1) << 1 | extra.number >> 1, 0),
            _ => (0, 0),
        };
        evaluation.set("OPSEL", number(select));
        evaluation.set("OPSEL_HI", number(select_high));
    }

    /// Whether two answers are the same, any NaN being any other.
    pub fn agree(self, ours: Answer, theirs: Answer) -> bool {
        ours.flag == theirs.flag && same(self.result(), ours.value, theirs.value)
    }

    /// Whether two floats are as near as that.
    pub fn near(self, ours: Answer, theirs: Answer, relative: f64, absolute: f64) -> bool {
        let format = match self.result() {
            Kind::F16 => Format::F16,
            Kind::F32 => Format::F32,
            Kind::F64 => Format::F64,
            _ => return false,
        };
        let (ours, theirs) = (format.decode(ours.value), format.decode(theirs.value));
        (ours - theirs).abs() <= relative * theirs.abs() + absolute
    }
}

fn same(kind: Kind, ours: u64, theirs: u64) -> bool {
    let Some((fraction, width)) = float(kind) else { return ours == theirs };
    let mask = u64::MAX >> (64 - width);
    let is_nan = |bits: u64| bits & (mask >> 1) > (mask >> 1) - ((1 << fraction) - 1);
    let one = |shift: u32| {
        let (ours, theirs) = (ours >> shift & mask, theirs >> shift & mask);
        ours == theirs || is_nan(ours) && is_nan(theirs)
    };
    one(0) && (self::width(kind) == width || one(width))
}
