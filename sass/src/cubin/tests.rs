use super::*;
use crate::decode::Encoding;
use crate::instruction::Operand;
use info::{IndirectBranch, Parameter, ParameterBank};

/// What ptxas 13.5 makes of `tests/data/kernel.ptx` for sm_80:
/// `ptxas -arch sm_80 kernel.ptx -o kernel.cubin && xxd -p -c 64 kernel.cubin > kernel.hex`. Expected values are those of the
/// text, or what nvdisasm and readelf say.
pub(crate) fn file() -> Vec<u8> {
    let digits: Vec<u8> = include_str!("../../tests/data/kernel.hex")
        .chars()
        .filter_map(|c| Some(c.to_digit(16)? as u8))
        .collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}

#[test]
fn functions_lie_in_the_section_of_their_kernel() {
    let file = file();
    let cubin = Cubin::parse(&file).expect("a cubin");
    assert_eq!(cubin.architecture, 80);
    assert_eq!(cubin.compiled_for, 80);
    let found: Vec<_> =
        cubin.functions.iter().map(|f| (f.name, f.is_kernel, f.offset, f.size)).collect();
    assert_eq!(found, [("kernel", true, 0, 1408), ("$kernel$square", false, 0x470, 272)]);
    let kernel = cubin.function("kernel").expect("the kernel");
    assert_eq!(cubin.sections[kernel.section].name, ".text.kernel");
    assert_eq!(cubin.code(kernel).len(), 1408);
    assert_eq!((kernel.registers, kernel.info.registers), (24, Some(24)));
}

/// `nvcc -arch compute_75 -code sm_80` (13.0) leaves 75 there; of such a file an H200 says PTX version 75.
#[test]
fn a_note_says_what_code_was_compiled_for() {
    let mut file = file();
    let note = b"NVIDIA Corp\0\x02\0\x50\0";
    let at = file.windows(note.len()).position(|bytes| bytes == note).expect("the note");
    file[at + 14] = 75;
    let cubin = Cubin::parse(&file).expect("a cubin");
    assert_eq!((cubin.architecture, cubin.compiled_for), (80, 75));
}

#[test]
fn attributes_say_what_the_text_does() {
    let file = file();
    let cubin = Cubin::parse(&file).expect("a cubin");
    let info = &cubin.function("kernel").expect("the kernel").info;
    let parameter = |ordinal, offset, size| Parameter { ordinal, offset, size };
    assert_eq!(info.parameters, [parameter(0, 0, 8), parameter(1, 8, 4), parameter(2, 12, 12)]);
    assert_eq!(info.parameter_bank, Some(ParameterBank { offset: 0x160, size: 24 }));
    assert_eq!((info.frame_size, info.min_stack_size), (8, Some(8)));
    assert_eq!(
        (info.max_threads, info.required_threads, info.barriers),
        (Some([64, 2, 1]), None, 1)
    );
    assert_eq!(info.exits, [0x40, 0x460]);
    assert_eq!(
        info.externs.iter().map(|at| cubin.symbols[*at as usize].name).collect::<Vec<_>>(),
        ["vprintf"]
    );
    let [IndirectBranch { offset: 0x3a0, targets }] = &info.indirect_branches[..] else {
        panic!("{:?}", info.indirect_branches);
    };
    assert_eq!(targets.len(), 5);
}

/// The offsets of attributes are those of the instructions that they are about.
#[test]
fn attributes_point_to_their_instructions() {
    let file = file();
    let cubin = Cubin::parse(&file).expect("a cubin");
    let kernel = cubin.function("kernel").expect("the kernel");
    let code: Vec<_> = Encoding::Sm80
        .decode_all(cubin.code(kernel))
        .collect::<Result<_, _>>()
        .expect("known code");
    let at = |offset: u32| &code[offset as usize / crate::decode::SIZE];
    assert_eq!(at(kernel.info.indirect_branches[0].offset).opcode, "BRX");
    assert!(kernel.info.exits.iter().all(|offset| at(*offset).opcode == "EXIT"));
    assert!(!kernel.info.system_calls.is_empty());
    assert!(kernel.info.system_calls.iter().all(|offset| at(*offset).opcode == "CALL"));
    // The function is called where it begins.
    let square = Operand::Label(0x470);
    assert!(code.iter().any(|i| i.opcode == "CALL" && i.operands == [square.clone()]));
}

#[test]
fn banks_and_variables_hold_what_they_begin_with() {
    let file = file();
    let cubin = Cubin::parse(&file).expect("a cubin");
    let kernel = cubin.function("kernel").expect("the kernel");
    let size = |number| cubin.bank(kernel, number).map(|section| section.size);
    assert_eq!([0, 1, 2, 3, 4].map(size), [Some(0x178), None, Some(20), Some(16), Some(32)]);
    assert_eq!(cubin.bank(kernel, 3).map(|bank| bank.data[4]), Some(2));
    // Each target of the jump by a register stands in the table; the jump takes the place behind it away again.
    let table = cubin.bank(kernel, 2).expect("a table").data.as_chunks().0;
    let branch = &kernel.info.indirect_branches[0];
    let mut targets: Vec<u32> = table.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    targets.sort_unstable();
    let mut expected = branch.targets.clone();
    expected.sort_unstable();
    assert_eq!(targets, expected);
    let bank = cubin.bank(kernel, 4).expect("addresses");
    let names: Vec<_> =
        bank.relocations.iter().map(|r| (r.offset, r.kind, cubin.symbols[r.symbol].name)).collect();
    let kind = Relocation::ABSOLUTE_64;
    assert_eq!(
        names,
        [(0, kind, "vprintf"), (8, kind, "text"), (16, kind, "factor"), (24, kind, "zeros")]
    );
    assert_eq!(cubin.shared_size(kernel), 256);
    let variables: Vec<_> = cubin
        .variables()
        .map(|(_, symbol, section)| (symbol.name, section.name, symbol.offset, symbol.size))
        .collect();
    assert_eq!(
        variables,
        [
            ("text", ".nv.global.init", 0, 8),
            ("factor", ".nv.global.init", 8, 4),
            ("zeros", ".nv.global", 0, 64),
            ("table", ".nv.constant3", 0, 16),
        ]
    );
    let values = cubin.section(".nv.global.init").expect("values").data;
    assert_eq!((&values[..4], &values[8..]), (&b"%d\n\0"[..], &2.0f32.to_le_bytes()[..]));
}

/// Neither a file that ends early nor one with a wrong byte stops the process; most of the former are refused.
#[test]
fn damaged_files_are_read_or_refused() {
    let file = file();
    for length in 0..file.len() {
        let read = Cubin::parse(&file[..length]);
        assert!(read.is_err() || length > 0x1000, "{length}");
    }
    let mut file = file;
    for at in 0..file.len() {
        for bit in [0x01, 0x80, 0xff] {
            file[at] ^= bit;
            if let Ok(cubin) = Cubin::parse(&file) {
                for function in &cubin.functions {
                    Encoding::Sm80.decode_all(cubin.code(function)).for_each(drop);
                }
            }
            file[at] ^= bit;
        }
    }
}

#[test]
fn files_of_others_are_no_cubins() {
    assert!(is_cubin(&file()));
    let mut other = file();
    other[18] = 62; // x86-64
    assert!(!is_cubin(&other));
    assert_eq!(Cubin::parse(&other), Err(Error::NoCubin));
    assert_eq!(Cubin::parse(b".version 8.0"), Err(Error::NoCubin));
}

/// A wrong size of an attribute is an error that names its section.
#[test]
fn attributes_that_end_outside_are_refused() {
    let mut file = file();
    let cubin = Cubin::parse(&file).expect("a cubin");
    let section = cubin.section(".nv.info.kernel").expect("attributes").data;
    let at = section.as_ptr() as usize - file.as_ptr() as usize;
    file[at + 2] = 0xff;
    let error = Cubin::parse(&file).expect_err("an attribute that is too long");
    assert_eq!(error.to_string(), ".nv.info.kernel: an attribute ends outside");
}
