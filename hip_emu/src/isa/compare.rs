//! Vector comparisons: each lane's bit of a mask.

use super::value::Value;
use super::{Action, Kind, Operation};

/// `v_cmp_RELATION_TYPE` for each relation of integers.
macro_rules! integers {
    ($table:ident: $type:ty, $suffix:literal) => {
        pub(super) static $table: &[Operation] = &[
    integers!(@ "f", $suffix, $type, |_a, _b| false),
    integers!(@ "lt", $suffix, $type, |a, b| a < b),
    integers!(@ "eq", $suffix, $type, |a, b| a == b),
    integers!(@ "le", $suffix, $type, |a, b| a <= b),
    integers!(@ "gt", $suffix, $type, |a, b| a > b),
    integers!(@ "ne", $suffix, $type, |a, b| a != b),
    integers!(@ "ge", $suffix, $type, |a, b| a >= b),
    integers!(@ "t", $suffix, $type, |_a, _b| true),
        ];
    };
    (@ $relation:literal, $suffix:literal, $type:ty, |$a:ident, $b:ident| $body:expr) => {
        Operation {
            name: concat!("v_cmp_", $relation, "_", $suffix),
            sources: &[<$type as Value>::KIND, <$type as Value>::KIND],
            result: Kind::None,
            reads_destination: false,
            action: Action::Test(|_, sources| {
                let ($a, $b) = (<$type as Value>::of(sources[0]), <$type as Value>::of(sources[1]));
                $body
            }),
        }
    };
}

integers! { I16: i16, "i16" }
integers! { U16: u16, "u16" }
integers! { I32: i32, "i32" }
integers! { U32: u32, "u32" }
integers! { I64: i64, "i64" }
integers! { U64: u64, "u64" }
