//! The output of nvcc for small kernels.

use ptx_parser::isa::Ret;
use ptx_parser::*;

const VECTOR_ADD: &str = include_str!("data/vector_add.ptx");

#[test]
fn vector_add() {
    let parse = parse(VECTOR_ADD);
    assert_eq!(parse.errors, []);
    assert_eq!(parse.module.version, (9, 0));
    assert_eq!(parse.module.target.sm(), Some(75));
    let [Directive::Function(function)] = &parse.module.directives[..] else {
        panic!("one kernel")
    };
    assert_eq!(
        (function.name, function.kind, function.linkage),
        ("va", FunctionKind::Entry, Linkage::Visible)
    );
    assert_eq!(function.parameters.len(), 4);
    let body = function.body.as_ref().unwrap();
    let instructions: Vec<_> = body
        .iter()
        .filter_map(|s| match s {
            Statement::Instruction(i) => Some(i),
            _ => None,
        })
        .collect();
    let Instruction::Ld(ld) = &instructions[0].instruction else { panic!("a load") };
    assert_eq!((ld.ss, ld.type_), (Some(StateSpace::Param), ScalarType::U64));
    assert_eq!(ld.a, Address { base: Some("va_param_0"), offset: 0 });
    assert!(matches!(
        instructions.last().unwrap().instruction,
        Instruction::Ret(Ret { uni: false })
    ));
}
