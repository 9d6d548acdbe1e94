//! The table for people.

use super::{Effects, Intrinsic, Participants, Property, Uniformity};

/// Rows as a table of the documentation.
pub fn markdown(rows: &[Intrinsic]) -> String {
    let mut text = String::from(
        "| name | type | effects | who takes part | the result is the same for | |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        text.push_str(&line(row));
    }
    text
}

fn line(row: &Intrinsic) -> String {
    let Intrinsic { names, signature, meaning, .. } = row;
    let effects = match row.effects {
        Effects::Pure => "none",
        Effects::Momentary => "depends on the time",
        Effects::OrdersMemory => "orders memory",
        Effects::AccessesMemory => "accesses memory",
        Effects::Preempts => "lets others run",
        Effects::World => "outside",
        Effects::EndsThread => "ends the thread",
        Effects::EndsGrid => "ends the grid",
    };
    let participants = match row.participants {
        Participants::Thread => "the thread",
        Participants::Present => "who is there",
        Participants::Members => "`membermask`",
        Participants::Aligned => "the warp, by `.aligned`",
        Participants::Warp => "the warp",
        Participants::Block => "the block",
        Participants::Cluster => "the cluster",
    };
    let uniformity = match row.uniformity {
        _ if signature.starts_with("void ") => "",
        Uniformity::Thread => "the thread",
        Uniformity::Arguments => "the same arguments",
        Uniformity::Members => "the same `membermask`",
        Uniformity::Warp => "the warp",
        Uniformity::Lockstep => "who calls together",
        Uniformity::Block => "the block",
    };
    let said = Some(*meaning).filter(|meaning| !meaning.is_empty());
    let said: Vec<_> = said.into_iter().chain(row.properties.iter().map(property)).collect();
    let meaning = said.join("; ");
    format!(
        "| `{names}` | `{signature}` | {effects} | {participants} | {uniformity} | {meaning} |\n"
    )
}

fn property(property: &Property) -> &'static str {
    match property {
        Property::AtHand => "at hand",
        Property::MatrixOperation => "of a constant operation",
        Property::NeverSubnormal => "never subnormal",
        Property::SameNumber => "the same number",
        Property::AnyNan => "any NaN will do",
        Property::NanOfNan => "NaN of NaN",
    }
}
