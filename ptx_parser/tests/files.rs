//! Whole files: the output of nvcc for small kernels, and a file with every corner of the grammar
//! outside of the instruction tables (ptxas 13.0 and newer accept it).

use ptx_parser::isa::Ret;
use ptx_parser::*;

const VECTOR_ADD: &str = include_str!("data/vector_add.ptx");
const KERNELS: &str = include_str!("data/kernels.ptx");
const CORNERS: &str = include_str!("data/corners.ptx");

/// The module, if there are no errors, and if its text gives the same tree.
fn module(source: &str) -> Module<'_> {
    let Parse { module, errors } = parse(source);
    let rendered: Vec<_> = errors.iter().map(|e| e.render(source)).collect();
    assert!(errors.is_empty(), "{}", rendered.join("\n"));
    let text = module.to_string();
    let again = parse(&text);
    let rendered: Vec<_> = again.errors.iter().map(|e| e.render(&text)).collect();
    assert!(again.errors.is_empty(), "{}", rendered.join("\n"));
    assert_eq!(again.module, module);
    // Printing is a fixed point too.
    assert_eq!(again.module.to_string(), text);
    module
}

fn function<'m, 'a>(module: &'m Module<'a>, name: &str) -> &'m Function<'a> {
    module
        .directives
        .iter()
        .filter_map(|d| match d {
            Directive::Function(f) if f.name == name && f.body.is_some() => Some(f),
            _ => None,
        })
        .next()
        .expect("it is declared")
}

fn variable<'m, 'a>(module: &'m Module<'a>, name: &str) -> &'m Variable<'a> {
    module
        .directives
        .iter()
        .filter_map(|d| match d {
            Directive::Variable(v) if v.name == name => Some(v),
            _ => None,
        })
        .next()
        .expect("it is declared")
}

fn instructions<'m, 'a>(body: &'m [Statement<'a>]) -> Vec<&'m GuardedInstruction<'a>> {
    body.iter()
        .flat_map(|s| match s {
            Statement::Instruction(i) => vec![i],
            Statement::Block(inner) => instructions(inner),
            _ => vec![],
        })
        .collect()
}

#[test]
fn vector_add() {
    let module = module(VECTOR_ADD);
    assert_eq!(module.version, (9, 0));
    assert_eq!(module.target.sm(), Some(75));
    let function = function(&module, "va");
    assert_eq!((function.kind, function.linkage), (FunctionKind::Entry, Linkage::Visible));
    let types: Vec<_> = function.parameters.iter().map(|p| p.type_).collect();
    assert_eq!(types, [ScalarType::U64, ScalarType::U64, ScalarType::U64, ScalarType::U32]);
    let body = function.body.as_ref().unwrap();
    let instructions = instructions(body);
    let Instruction::Ld(ld) = &instructions[0].instruction else { panic!("a load") };
    assert_eq!((ld.ss, ld.type_), (Some(StateSpace::Param), ScalarType::U64));
    assert_eq!(ld.d, Operand::Name("%rd1"));
    assert_eq!(ld.a, Address::new(Some("va_param_0"), 0));
    let branch = instructions.iter().find(|i| i.guard.is_some()).unwrap();
    assert_eq!(branch.guard, Some(Guard { predicate: "%p1", not: false }));
    assert!(
        matches!(&branch.instruction, Instruction::Bra(b) if b.tgt == Operand::Name("$L__BB0_2"))
    );
    assert!(matches!(
        instructions.last().unwrap().instruction,
        Instruction::Ret(Ret { uni: false })
    ));
}

#[test]
fn kernels() {
    let module = module(KERNELS);
    let kernels: Vec<_> = module
        .directives
        .iter()
        .filter_map(|d| match d {
            Directive::Function(f) if f.kind == FunctionKind::Entry => Some(f.name),
            _ => None,
        })
        .collect();
    assert_eq!(kernels, ["reduce", "areas", "functions", "tensor", "texture"]);
    let reduce = function(&module, "reduce");
    assert_eq!(
        reduce.directives,
        [FunctionDirective::Maxntid([256, 1, 1]), FunctionDirective::Minnctapersm(2)]
    );
    let areas = function(&module, "areas");
    let calls: Vec<_> = instructions(areas.body.as_ref().unwrap())
        .iter()
        .filter_map(|i| match &i.instruction {
            Instruction::Call(call) => Some((call.target, call.prototype.is_some())),
            _ => None,
        })
        .collect();
    assert!(matches!(calls[..], [(_, true), ("vprintf", false)]), "{calls:?}");
}

#[test]
fn corners() {
    let module = module(CORNERS);
    assert_eq!(module.target.words, ["sm_90a"]);

    let array = variable(&module, "matrix");
    assert_eq!((array.type_, &array.dimensions[..]), (ScalarType::S32, &[2, 3][..]));
    let int = |n: i64| Initializer::Immediate(Immediate::S64(n));
    assert_eq!(
        array.initializer,
        Some(Initializer::List(vec![
            Initializer::List(vec![int(1), int(2), int(3)]),
            Initializer::List(vec![int(4), int(5)])
        ]))
    );
    assert_eq!(
        variable(&module, "bytes").initializer,
        Some(Initializer::List(vec![int(1), int(2), int(255), int(255), int(5), int(-1)]))
    );
    let values = [7, 9, 3, -3, 3, 16, 134217728, -1, 0, 1, 2, 10, 5, 4];
    assert_eq!(
        variable(&module, "expressions").initializer,
        Some(Initializer::List(values.into_iter().map(int).collect()))
    );
    let float = |v: f64| Initializer::Immediate(Immediate::F64(v.to_bits()));
    assert_eq!(
        variable(&module, "floats").initializer,
        Some(Initializer::List(vec![
            Initializer::Immediate(Immediate::F32(1.0f32.to_bits())),
            float(1.5),
            float(-2.0),
            float(1000.0)
        ]))
    );
    let symbol = |name, offset, generic, mask| Initializer::Symbol {
        address: Address::new(Some(name), offset),
        generic,
        mask,
    };
    assert_eq!(
        variable(&module, "pointers").initializer,
        Some(Initializer::List(vec![
            symbol("bytes", 0, false, None),
            symbol("bytes", 4, false, None),
            symbol("bytes", 0, true, None),
            symbol("bytes", 4, true, None)
        ]))
    );
    assert_eq!(
        variable(&module, "masked").initializer,
        Some(Initializer::List(vec![
            symbol("plain", 0, false, Some(0xFF)),
            symbol("plain", 4, false, Some(0xFF00)),
            symbol("plain", 0, true, Some(0xFF0000))
        ]))
    );
    assert_eq!(variable(&module, "managed").attributes, [Attribute::Managed]);
    assert_eq!(variable(&module, "vector").vector, Some(VectorSize::V4));
    assert_eq!(variable(&module, "dynamic").dimensions, [0]);
    assert_eq!(variable(&module, "third").dimensions, [3]);
    assert_eq!(variable(&module, "common_variable").linkage, Linkage::Common);

    let kernel = function(&module, "kernel");
    let pointer = &kernel.parameters[0];
    assert_eq!(pointer.pointer, Some(Pointer { space: Some(StateSpace::Global), align: Some(16) }));
    assert_eq!(kernel.parameters[1].pointer, Some(Pointer { space: None, align: None }));
    assert_eq!(kernel.directives[0], FunctionDirective::Maxntid([128, 2, 1]));
    let text =
        |index: usize| instructions(kernel.body.as_ref().unwrap())[index].instruction.to_string();
    assert_eq!(text(1), "mov.u64 %rd2, stack+16");
    assert_eq!(text(2), "mov.u32 %r1, rows+4");
    assert_eq!(text(10), "ld.global.u32 %r4, [third+4]");

    let clusters = function(&module, "clusters");
    assert_eq!(
        clusters.directives,
        [
            FunctionDirective::Reqntid([32, 1, 1]),
            FunctionDirective::Explicitcluster,
            FunctionDirective::Reqnctapercluster([2, 1, 1])
        ]
    );
}

/// Names of the tree are slices of the source.
#[test]
fn names_know_their_place() {
    let module = module(VECTOR_ADD);
    let name = function(&module, "va").parameters[2].name;
    let span = Span::of(VECTOR_ADD, name).unwrap();
    assert_eq!(span.text(VECTOR_ADD), "va_param_2");
    let (line, _) = line_column(VECTOR_ADD, span.start);
    assert!(VECTOR_ADD.lines().nth(line - 1).unwrap().contains("va_param_2"));
    assert!(Span::of(VECTOR_ADD, "elsewhere").is_none());
}

#[test]
fn operands_are_visited_with_their_access() {
    let module = module(KERNELS);
    let mut stores = 0;
    for statement in instructions(function(&module, "reduce").body.as_ref().unwrap()) {
        let mut seen = Vec::new();
        statement.instruction.names(|name, access| seen.push((name, access)));
        match &statement.instruction {
            Instruction::St(st) => {
                stores += 1;
                assert_eq!(seen[0], (st.a.base.unwrap(), Access::Read));
                assert!(seen.iter().all(|(_, access)| *access == Access::Read));
            }
            Instruction::Fma(_) | Instruction::Add(_) | Instruction::Ld(_) => {
                let writes: Vec<_> =
                    seen.iter().map(|(_, access)| *access == Access::Write).collect();
                assert!(
                    writes[0] && writes[1..].iter().all(|w| !w),
                    "{}: {seen:?}",
                    statement.instruction
                );
            }
            _ => {}
        }
    }
    assert!(stores > 1);
}

/// Types of operands, against the types that nvcc declared the registers with.
#[test]
fn operands_have_the_types_of_their_registers() {
    use std::collections::HashMap;
    let mut count = 0;
    for source in [VECTOR_ADD, KERNELS] {
        let module = module(source);
        for directive in &module.directives {
            let Directive::Function(Function { body: Some(body), .. }) = directive else {
                continue;
            };
            let mut registers = HashMap::new();
            for statement in body {
                if let Statement::Variable(Variable { range: Some(range), name, type_, .. }) =
                    statement
                {
                    registers.extend((0..*range).map(|n| (format!("{name}{n}"), *type_)));
                }
            }
            for GuardedInstruction { instruction, .. } in instructions(body) {
                // Registers may be wider than what these load, store and convert.
                let wider = matches!(
                    instruction,
                    Instruction::Ld(_)
                        | Instruction::St(_)
                        | Instruction::Cvt(_)
                        | Instruction::Sust(_)
                );
                instruction.typed_operands(|operand, _, type_| {
                    let OperandRef::Operand(Operand::Name(name)) = operand else { return };
                    let (Some(register), Some(type_)) = (registers.get(*name), type_) else {
                        return;
                    };
                    let fits = if wider {
                        register.bits() >= type_.bits()
                    } else {
                        register.bits() == type_.bits()
                    };
                    assert!(fits, "`{name}` is {register} and not {type_} in `{instruction}`");
                    assert_eq!(
                        *register == ScalarType::Pred,
                        type_ == ScalarType::Pred,
                        "{instruction}"
                    );
                    count += 1;
                });
            }
        }
    }
    assert!(count > 500, "{count}");
}

#[test]
fn types_that_differ_among_operands() {
    let types = |text: &str| {
        let source = format!(".version 9.0\n.target sm_100\n.func f() {{ {text} }}");
        let Parse { module, errors } = parse(&source);
        assert_eq!(errors, [], "{text}");
        let [Directive::Function(Function { body: Some(body), .. })] = &module.directives[..]
        else {
            panic!("a function")
        };
        let mut types = Vec::new();
        instructions(body)[0].instruction.typed_operands(|_, access, type_| {
            let access = if access == Access::Write { ">" } else { "" };
            types.push(format!("{access}{}", type_.map_or(String::new(), |t| t.to_string())));
        });
        types.join(" ")
    };
    assert_eq!(types("mul.wide.u16 %r1, %h1, %h2;"), ">.u32 .u16 .u16");
    assert_eq!(types("mul.lo.u16 %h1, %h1, %h2;"), ">.u16 .u16 .u16");
    assert_eq!(types("mad.wide.s32 %rd1, %r1, %r2, %rd2;"), ">.s64 .s32 .s32 .s64");
    assert_eq!(types("add.f32.f16 %f1, %h1, %f2;"), ">.f32 .f16 .f32");
    assert_eq!(types("shl.b64 %rd1, %rd2, %r1;"), ">.b64 .b64 .u32");
    assert_eq!(types("setp.lt.and.f64 %p1|%p2, %d1, %d2, !%p3;"), ">.pred >.pred .f64 .f64 .pred");
    assert_eq!(types("cvt.rn.f16.s32 %h1, %r1;"), ">.f16 .s32");
    assert_eq!(types("popc.b64 %r1, %rd1;"), ">.u32 .b64");
    assert_eq!(types("bfi.b64 %rd1, %rd2, %rd3, %r1, %r2;"), ">.b64 .b64 .b64 .u32 .u32");
    assert_eq!(
        types("shfl.sync.up.b32 %r1|%p1, %r2, 1, 31, -1;"),
        ">.b32 >.pred .b32 .b32 .b32 .u32"
    );
    assert_eq!(
        types("st.global.L2::cache_hint.v2.u16 [%rd1], {%h1, %h2}, %rd2;"),
        ".u16 .u16 .u64"
    );
    assert_eq!(types("bar.red.popc.u32 %r1, 0, %r2, %p1;"), ".u32 .u32 >.u32 .pred");
    assert_eq!(types("call f, (%r1);"), "");
}
