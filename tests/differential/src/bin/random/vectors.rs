//! Accesses of vectors of all widths, as lines with places that [`crate::generate`] fills.

use splitmix::Random;

/// Memory that is a thread's own, or that nobody writes: the register of the address, the bytes there, and whether it
/// is an address of 64 bits.
struct Space {
    name: &'static str,
    base: &'static str,
    bytes: u32,
    wide: bool,
}

const INPUT: Space = Space { name: ".global", base: "%in", bytes: 1024, wide: true };
const LOCAL: Space = Space { name: ".local", base: "%stack", bytes: 32, wide: true };
const GLOBAL: Space = Space { name: ".global", base: "%own", bytes: 64, wide: true };
const SHARED: Space = Space { name: ".shared", base: "%osh", bytes: 32, wide: false };

/// A load or a store of two or four elements of 8 to 64 bits, 16 bytes at most.
pub fn access(random: &mut Random, in_function: bool) -> String {
    let mut below = |end: u64| random.bits() % end;
    let space = match below(if in_function { 3 } else { 8 }) {
        0 => INPUT,
        1 | 2 => LOCAL,
        3..=5 => GLOBAL,
        _ => SHARED,
    };
    let bits = [8, 16, 32, 64][below(4) as usize];
    let lanes = if bits == 64 { 2 } else { [2, 4][below(2) as usize] };
    let size = bits * lanes / 8;
    let stores = space.base != INPUT.base && below(2) == 0;
    let own = space.base == GLOBAL.base || space.base == SHARED.base;
    let order = match below(4) {
        0 if own => ".volatile",
        1 if own => ".relaxed.gpu",
        2 if space.base == INPUT.base => ".nc",
        _ => "",
    };
    let kind = ["b", "u", "s"][below(3) as usize];
    let floats = bits >= 32 && below(4) == 0;
    let ty = if floats { format!("f{bits}") } else { format!("{kind}{bits}") };
    let mask = (space.bytes - 1) & !(size - 1);
    let address = if space.wide {
        format!(
            "and.b32 %x0, {{r}}, {mask}; cvt.u64.u32 %y0, %x0; add.u64 %y0, {}, %y0;",
            space.base
        )
    } else {
        format!("and.b32 %x0, {{r}}, {mask}; add.u32 %x0, {}, %x0;", space.base)
    };
    let at = if space.wide { "[%y0]" } else { "[%x0]" };
    // `.nc` stands behind the space.
    let qualifiers = if order == ".nc" {
        format!("{}.nc.v{lanes}.{ty}", space.name)
    } else {
        format!("{order}{}.v{lanes}.{ty}", space.name)
    };
    let list = |names: Vec<String>| format!("{{{}}}", names.join(", "));
    let registers = |letter: &str| list((0..lanes).map(|_| format!("{{{letter}}}")).collect());
    let small = || list((0..lanes).map(|lane| format!("%g{lane}")).collect());
    let letter = match (floats, bits) {
        (true, 32) => "f",
        (true, _) => "d",
        (false, 32) => "r",
        (false, _) => "l",
    };
    match (stores, bits) {
        (true, 8 | 16) => {
            let fill: String =
                (0..lanes).map(|lane| format!("cvt.u16.u32 %g{lane}, {{r}}; ")).collect();
            format!("{address} {fill}st{qualifiers} {at}, {};", small())
        }
        (true, _) => format!("{address} st{qualifiers} {at}, {};", registers(letter)),
        (false, 8 | 16) => {
            let sum: String = (0..lanes)
                .map(|lane| format!(" cvt.s32.s16 %x1, %g{lane}; mad.lo.s32 %x0, %x0, 31, %x1;"))
                .collect();
            format!(
                "{address} ld{qualifiers} {}, {at}; mov.b32 %x0, 0;{sum} mov.b32 {{R}}, %x0;",
                small()
            )
        }
        // An element a register: no register twice.
        (false, 32) if floats => {
            let (names, sum): (Vec<String>, Vec<String>) = (0..lanes)
                .map(|lane| {
                    (
                        format!("%e{lane}"),
                        format!(" mov.b32 %x1, %e{lane}; mad.lo.s32 %x0, %x0, 31, %x1;"),
                    )
                })
                .unzip();
            let (names, sum) = (list(names), sum.concat());
            format!(
                "{address} ld{qualifiers} {names}, {at}; mov.b32 %x0, 0;{sum} mov.b32 {{R}}, %x0;"
            )
        }
        (false, 32) => {
            let names = list((0..lanes).map(|lane| format!("%z{lane}")).collect());
            let sum: String =
                (0..lanes).map(|lane| format!(" mad.lo.s32 %x0, %x0, 31, %z{lane};")).collect();
            format!(
                "{address} ld{qualifiers} {names}, {at}; mov.b32 %x0, 0;{sum} mov.b32 {{R}}, %x0;"
            )
        }
        (false, _) if floats => format!(
            "{address} ld{qualifiers} {{%c0, %c1}}, {at}; mov.b64 %y1, %c0; mov.b64 %y2, %c1; mad.lo.s64 {{L}}, %y1, 31, %y2;"
        ),
        (false, _) => {
            format!("{address} ld{qualifiers} {{%y1, %y2}}, {at}; mad.lo.s64 {{L}}, %y1, 31, %y2;")
        }
    }
}
