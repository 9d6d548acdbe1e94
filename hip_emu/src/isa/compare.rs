//! Vector comparisons: each lane's bit of a mask.

use super::float::arithmetic::{is_of_class, order};
use super::float::{F16, F32, F64};
use super::value::Value;
use super::{Action, Kind, Operation};
use std::cmp::Ordering::{self, Equal, Greater, Less};

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

/// `v_cmp_RELATION_TYPE` for each relation of floats. NaNs have no order; the negated relations hold for them.
macro_rules! floats {
    ($table:ident: $type:ty, $suffix:literal) => {
        pub(super) static $table: &[Operation] = &[
    floats!(@ "f", $suffix, $type, |_| false),
    floats!(@ "lt", $suffix, $type, |order| order == Some(Less)),
    floats!(@ "eq", $suffix, $type, |order| order == Some(Equal)),
    floats!(@ "le", $suffix, $type, |order| order.is_some_and(Ordering::is_le)),
    floats!(@ "gt", $suffix, $type, |order| order == Some(Greater)),
    floats!(@ "lg", $suffix, $type, |order| order.is_some_and(Ordering::is_ne)),
    floats!(@ "ge", $suffix, $type, |order| order.is_some_and(Ordering::is_ge)),
    floats!(@ "o", $suffix, $type, |order| order.is_some()),
    floats!(@ "u", $suffix, $type, |order| order.is_none()),
    floats!(@ "nge", $suffix, $type, |order| order.is_none_or(Ordering::is_lt)),
    floats!(@ "nlg", $suffix, $type, |order| order.is_none_or(Ordering::is_eq)),
    floats!(@ "ngt", $suffix, $type, |order| order.is_none_or(Ordering::is_le)),
    floats!(@ "nle", $suffix, $type, |order| order.is_none_or(Ordering::is_gt)),
    floats!(@ "neq", $suffix, $type, |order| order.is_none_or(Ordering::is_ne)),
    floats!(@ "nlt", $suffix, $type, |order| order.is_none_or(Ordering::is_ge)),
    floats!(@ "t", $suffix, $type, |_| true),
    floats!(@ "tru", $suffix, $type, |_| true),
            Operation {
                name: concat!("v_cmp_class_", $suffix),
                sources: &[<$type as Value>::KIND, Kind::B32],
                result: Kind::None,
                reads_destination: false,
                action: Action::Test(|_, sources| {
                    is_of_class(<$type as Value>::of(sources[0]), sources[1] as u32)
                }),
            },
        ];
    };
    (@ $relation:literal, $suffix:literal, $type:ty, |$order:pat_param| $body:expr) => {
        Operation {
            name: concat!("v_cmp_", $relation, "_", $suffix),
            sources: &[<$type as Value>::KIND, <$type as Value>::KIND],
            result: Kind::None,
            reads_destination: false,
            action: Action::Test(|mode, sources| {
                let $order =
                    order(mode, <$type as Value>::of(sources[0]), <$type as Value>::of(sources[1]));
                $body
            }),
        }
    };
}

floats! { F16_RELATIONS: F16, "f16" }
floats! { F32_RELATIONS: F32, "f32" }
floats! { F64_RELATIONS: F64, "f64" }
