//! Constants: their text, their value, and their bits in an operand of a type.

use ptx_parser::{Directive, Immediate, Initializer, ScalarType, Variable, parse};

/// The value that a variable starts with.
fn value(text: &str) -> Immediate {
    let source = format!(".version 9.0\n.target sm_90\n.global .b64 x = {text};");
    let parsed = parse(&source);
    assert_eq!(parsed.errors, [], "{text}");
    let constant = parsed.module.directives.iter().find_map(|d| match d {
        Directive::Variable(Variable {
            initializer: Some(Initializer::Immediate(value)), ..
        }) => Some(*value),
        _ => None,
    });
    constant.expect("a variable with a constant")
}

#[test]
fn expressions() {
    let cases: [(&str, i128); 26] = [
        ("10", 10),
        ("010", 8),
        ("0x10", 16),
        ("0b10", 2),
        ("10U", 10),
        ("9223372036854775808", 1 << 63),
        ("-1", -1),
        ("~0", -1),
        ("!3", 0),
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("2*3+4", 10),
        ("20-5-3", 12),
        ("-7/2", -3),
        ("-7 % 2", -1),
        ("1<<3+1", 16),
        ("-8>>1", -4),
        ("0xFFFFFFFFFFFFFFFF>>60", 15),
        ("6&3|8^1", 11),
        ("1<2==1", 1),
        ("-1<0U", 0),
        ("1&&0||1", 1),
        ("0?1:2?3:4", 3),
        ("WARP_SZ*2", 64),
        ("(.u64)-1", (1 << 64) - 1),
        ("(.s64)0xFFFFFFFFFFFFFFFF", -1),
    ];
    for (text, expected) in cases {
        assert_eq!(value(text).integer(), Some(expected), "{text}");
    }
    assert_eq!(value("1.5*2.0"), Immediate::F64(3.0f64.to_bits()));
    assert_eq!(value("-0.5"), Immediate::F64((-0.5f64).to_bits()));
    assert_eq!(value("1.5<2.5"), Immediate::S64(1));
    assert_eq!(value("0f3F800000"), Immediate::F32(0x3F80_0000));
    assert_eq!(value("0d3FF0000000000000"), Immediate::F64(1.0f64.to_bits()));
}

#[test]
fn bits_of_operands() {
    use ScalarType::*;
    let cases = [
        ("-1", U8, Some(0xFF)),
        ("-1", S32, Some(0xFFFF_FFFF)),
        ("-1", B64, Some(u64::MAX)),
        ("0x123456789", U32, Some(0x2345_6789)),
        ("1", Pred, Some(1)),
        ("1", F32, None),
        ("1", F64, None),
        ("0x3C00", F16, Some(0x3C00)),
        ("1.5", F32, Some(0x3FC0_0000)),
        ("1.5", F64, Some(0x3FF8_0000_0000_0000)),
        ("1.5", S32, None),
        ("1.5", B32, None),
        ("1.5", B64, Some(0x3FF8_0000_0000_0000)),
        ("0f3F800000", F32, Some(0x3F80_0000)),
        ("0f3F800000", B32, Some(0x3F80_0000)),
        ("0f3F800000", F64, Some(0x3F80_0000)),
        ("0f3F800000", U32, None),
        // To nearest, ties to even: 1 + 2^-24.
        ("0d3FF0000010000000", F32, Some(0x3F80_0000)),
    ];
    for (text, type_, expected) in cases {
        assert_eq!(value(text).bits(type_), expected, "{text} as {type_}");
    }
}
