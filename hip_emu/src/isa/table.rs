//! The tables' grammar: one line for an instruction, whose operands' types give their kinds.
//!
//! `v_add_nc_u32(a: u32, b: u32) -> u32 = a.wrapping_add(b);` A table's head names what its lines may use beside
//! their operands: the wave's mode, a flag, a number.

/// Binds operands by position.
macro_rules! operands {
    ($sources:ident;) => {
        let _ = $sources;
    };
    ($sources:ident; $a:ident: $at:ty) => {
        let $a = <$at as $crate::isa::value::Value>::of($sources[0]);
    };
    ($sources:ident; $a:ident: $at:ty, $b:ident: $bt:ty) => {
        let $a = <$at as $crate::isa::value::Value>::of($sources[0]);
        let $b = <$bt as $crate::isa::value::Value>::of($sources[1]);
    };
    ($sources:ident; $a:ident: $at:ty, $b:ident: $bt:ty, $c:ident: $ct:ty) => {
        let $a = <$at as $crate::isa::value::Value>::of($sources[0]);
        let $b = <$bt as $crate::isa::value::Value>::of($sources[1]);
        let $c = <$ct as $crate::isa::value::Value>::of($sources[2]);
    };
}

/// An entry of a table.
macro_rules! operation {
    ($name:expr, [$($type:ty),*] -> $result:expr, $reads_destination:expr, $action:expr) => {
        $crate::isa::Operation {
            name: $name,
            sources: &[$(<$type as $crate::isa::value::Value>::KIND),*],
            result: $result,
            reads_destination: $reads_destination,
            action: $action,
        }
    };
}

/// Operations that give a value; `accumulating` ones have their destination as the last source.
macro_rules! values {
    ($table:ident, $mode:ident; $($rows:tt)*) => {
        $crate::isa::table::value_rows!($table, $mode, false; $($rows)*);
    };
}

macro_rules! accumulating {
    ($table:ident, $mode:ident; $($rows:tt)*) => {
        $crate::isa::table::value_rows!($table, $mode, true; $($rows)*);
    };
}

macro_rules! value_rows {
    ($table:ident, $mode:ident, $reads:literal;
        $($name:ident($($operand:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {
        pub(super) static $table: &[$crate::isa::Operation] = &[$($crate::isa::table::operation!(
            stringify!($name), [$($type),*] -> <$result as $crate::isa::value::Value>::KIND, $reads,
            $crate::isa::Action::Value(|$mode, sources| {
                $crate::isa::table::operands!(sources; $($operand: $type),*);
                let _ = $mode;
                let value: $result = $body;
                $crate::isa::value::Value::bits(value)
            })
        )),*];
    };
}

/// Operations that read a bit of a mask.
macro_rules! with_flag {
    ($table:ident, $mode:ident, $flag:ident;
        $($name:ident($($operand:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {
        pub(super) static $table: &[$crate::isa::Operation] = &[$($crate::isa::table::operation!(
            stringify!($name), [$($type),*] -> <$result as $crate::isa::value::Value>::KIND, false,
            $crate::isa::Action::WithFlag(|$mode, sources, $flag| {
                $crate::isa::table::operands!(sources; $($operand: $type),*);
                let _ = $mode;
                let value: $result = $body;
                $crate::isa::value::Value::bits(value)
            })
        )),*];
    };
}

/// Operations that write a bit of a mask: their bodies give a pair.
macro_rules! and_flag {
    ($table:ident, $mode:ident;
        $($name:ident($($operand:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {
        pub(super) static $table: &[$crate::isa::Operation] = &[$($crate::isa::table::operation!(
            stringify!($name), [$($type),*] -> <$result as $crate::isa::value::Value>::KIND, false,
            $crate::isa::Action::AndFlag(|$mode, sources| {
                $crate::isa::table::operands!(sources; $($operand: $type),*);
                let _ = $mode;
                let (value, flag): ($result, bool) = $body;
                ($crate::isa::value::Value::bits(value), flag)
            })
        )),*];
    };
}

/// Operations that read a bit of a mask and write one.
macro_rules! with_and_flag {
    ($table:ident, $mode:ident, $flag:ident;
        $($name:ident($($operand:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {
        pub(super) static $table: &[$crate::isa::Operation] = &[$($crate::isa::table::operation!(
            stringify!($name), [$($type),*] -> <$result as $crate::isa::value::Value>::KIND, false,
            $crate::isa::Action::WithAndFlag(|$mode, sources, $flag| {
                $crate::isa::table::operands!(sources; $($operand: $type),*);
                let _ = $mode;
                let (value, flag): ($result, bool) = $body;
                ($crate::isa::value::Value::bits(value), flag)
            })
        )),*];
    };
}

/// Operations that take a number.
macro_rules! with_number {
    ($table:ident, $mode:ident, $number:ident: $which:ident, $reads:literal;
        $($name:ident($($operand:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {
        pub(super) static $table: &[$crate::isa::Operation] = &[$($crate::isa::table::operation!(
            stringify!($name), [$($type),*] -> <$result as $crate::isa::value::Value>::KIND, $reads,
            $crate::isa::Action::WithNumber($crate::isa::Number::$which, |$mode, sources, $number| {
                $crate::isa::table::operands!(sources; $($operand: $type),*);
                let _ = $mode;
                let value: $result = $body;
                $crate::isa::value::Value::bits(value)
            })
        )),*];
    };
}

/// Operations of the scalar unit whose bodies give a value and SCC.
macro_rules! scalars {
    ($table:ident, $mode:ident, $scc:ident, $reads:literal;
        $($name:ident($($operand:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {
        pub(super) static $table: &[$crate::isa::ScalarOperation] = &[$($crate::isa::ScalarOperation {
            name: stringify!($name),
            sources: &[$(<$type as $crate::isa::value::Value>::KIND),*],
            result: <$result as $crate::isa::value::Value>::KIND,
            reads_destination: $reads,
            run: |$mode, sources, $scc| {
                $crate::isa::table::operands!(sources; $($operand: $type),*);
                let _ = ($mode, $scc);
                let (value, scc): ($result, bool) = $body;
                ($crate::isa::value::Value::bits(value), scc)
            },
        }),*];
    };
}

/// Operations of the scalar unit that leave SCC as it is.
macro_rules! scalars_without_scc {
    ($table:ident, $mode:ident;
        $($name:ident($($operand:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {
        $crate::isa::table::scalars! { $table, $mode, scc, false;
            $($name($($operand: $type),*) -> $result = ($body, scc);)*
        }
    };
}

/// Operations of the scalar unit that set SCC where their result is not zero.
macro_rules! scalars_nonzero {
    ($table:ident, $mode:ident;
        $($name:ident($($operand:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {
        $crate::isa::table::scalars! { $table, $mode, scc, false;
            $($name($($operand: $type),*) -> $result = {
                let value: $result = $body;
                (value, value != 0)
            };)*
        }
    };
}

pub(super) use {
    accumulating, and_flag, operands, operation, scalars, scalars_nonzero, scalars_without_scc,
    value_rows, values, with_and_flag, with_flag, with_number,
};
