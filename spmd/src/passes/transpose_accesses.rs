//! Neighbouring words of each lane as one access, and transposed in registers.
//!
//! Input: vector code after its last optimisation, with the last form of addresses. Output: the same code; where all lanes
//! access several words side by side, one instruction after the other and a constant distance from lane to lane, as for
//! the items that a thread of CUB has, or for a structure's fields, up to four words of a lane are one access. Four
//! by four they become vectors of lanes, or are made of them.
//! Why here: a gather or scatter takes as long as an access for each lane, and longer. Constants in addresses are offsets of
//! the access by now, so that neighbours have the same base.
//!
//! No other byte is accessed. What orders memory stays where it is, and so do accesses relative to those that write.

use llvm_zluda::{Builder, Module, Opcode, Type, Value};

use super::effects::{may_access, may_write};
use super::narrow_addresses::{address_argument, erase_unused};
use super::strip_mine_arithmetic::repeated_constant;
use crate::Options;
use crate::emit::LANES;

/// Bytes of a word.
const WORD: i64 = 4;
/// Words of a lane that are one access.
const MOST: usize = 4;
/// Lanes whose words fill registers of 256 bits.
const LANES_TOGETHER: u32 = 8;
/// Bytes from one to the other of the accesses that are looked at together.
const FARTHEST: u64 = 1 << 16;
/// Levels of an address that are looked through for constants.
const DEEPEST: u32 = 8;

/// Rewrites the accesses of a module.
pub fn run(module: &Module<'_>, options: &Options) {
    // With AVX-512 a gather of two words for each lane takes about as long.
    let fewest = if options.avx512() { 3 } else { 2 };
    let transpose = Transpose { b: module.context().builder(), fewest };
    for function in module.functions() {
        for block in function.blocks() {
            let (mut loads, mut stores): (Vec<Group<'_>>, Vec<Group<'_>>) = Default::default();
            let mut complete = Vec::new();
            for instruction in block.instructions() {
                let access = Access::of(&transpose.b, instruction);
                let stored = access.is_some_and(|access| access.stores);
                if may_write(instruction) && (stored || access.is_none()) {
                    complete.append(&mut loads);
                }
                let joins = stored && stores.last().is_some_and(|group| group.takes(access));
                if may_access(instruction) && !joins {
                    complete.append(&mut stores);
                }
                let Some(access) = access else { continue };
                let groups = if stored { &mut stores } else { &mut loads };
                match groups.iter_mut().rev().find(|group| group.takes(Some(access))) {
                    Some(group) => group.accesses.push(access),
                    None => groups.push(Group { accesses: vec![access] }),
                }
            }
            complete.append(&mut loads);
            complete.append(&mut stores);
            for group in complete {
                transpose.rewrite(group);
            }
        }
    }
}

/// An access of a word by all lanes.
#[derive(Clone, Copy)]
struct Access<'c> {
    instruction: Value<'c>,
    stores: bool,
    word: Type<'c>,
    /// A pointer or a number, from which the address of lane 0 is `offset` bytes away.
    base: Value<'c>,
    offset: i64,
    /// Bytes from lane to lane.
    stride: i64,
}

impl<'c> Access<'c> {
    fn of(b: &Builder<'c>, instruction: Value<'c>) -> Option<Self> {
        let (place, stride, stores, mask) = if let Some(argument) = address_argument(instruction) {
            let addresses = instruction.operand(argument);
            if !addresses.is_instruction()
                || addresses.opcode() != Opcode::LLVMGetElementPtr
                || addresses.operand_count() != 2
                || addresses.operand(0).ty().is_vector()
            {
                return None;
            }
            let (first, step) = steps(b, addresses.operand(1))?;
            let size = match addresses.gep_source_type().bits() {
                bits @ (8 | 16 | 32 | 64) => i64::from(bits / 8),
                _ => return None,
            };
            let place = (addresses.operand(0), first.checked_mul(size)?);
            (place, step.checked_mul(size)?, argument == 1, instruction.operand(argument + 1))
        } else if instruction.opcode() == Opcode::LLVMCall {
            let name = instruction.called_name();
            let at = match name.as_str() {
                "spmd.gather.32.strided" => 0,
                "spmd.scatter.32.strided" => 1,
                _ => return None,
            };
            let stride = instruction.operand(at + 1).as_const_signed()?;
            ((instruction.operand(at), 0), stride, at == 1, instruction.operand(at + 2))
        } else {
            return None;
        };
        let all = if mask.ty().is_vector() { repeated_constant(mask)? } else { mask };
        if all.as_const_signed() != Some(-1) {
            return None;
        }
        let word = if stores { instruction.operand(0) } else { instruction }.ty().element();
        if word.is_pointer() || word.bits() != 8 * WORD as u32 {
            return None;
        }
        let (base, offset) = base_and_offset(place.0, place.1)?;
        Some(Self { instruction, stores, word, base, offset, stride })
    }
}

/// The first of the constants that are equal steps apart, and the step.
fn steps<'c>(b: &Builder<'c>, vector: Value<'c>) -> Option<(i64, i64)> {
    if !vector.is_constant() || vector.is_undef_or_poison() || vector.is_constant_expression() {
        return None;
    }
    let element = |lane: u32| {
        let lane = b.context().i32().const_int(lane.into());
        b.extract_element(vector, lane).as_const_signed()
    };
    let elements: Vec<i64> = (0..LANES).map(element).collect::<Option<_>>()?;
    let step = elements[1].checked_sub(elements[0])?;
    let same = elements.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step));
    same.then_some((elements[0], step))
}

/// What is left of an address without the constants that are added to it, and their sum.
fn base_and_offset(mut address: Value<'_>, mut offset: i64) -> Option<(Value<'_>, i64)> {
    for _ in 0..DEEPEST {
        if !address.is_instruction() {
            break;
        }
        let (rest, constant, size) = match address.opcode() {
            Opcode::LLVMIntToPtr if address.operand(0).ty().bits() == 64 => {
                address = address.operand(0);
                continue;
            }
            Opcode::LLVMGetElementPtr if address.operand_count() == 2 => {
                let ty = address.gep_source_type();
                if !(ty.is_int() && ty.bits() == 8) {
                    break;
                }
                (address.operand(0), address.operand(1), 1)
            }
            Opcode::LLVMAdd => (address.operand(0), address.operand(1), 1),
            Opcode::LLVMOr if address.is_disjoint() => (address.operand(0), address.operand(1), 1),
            _ => break,
        };
        let Some(constant) = constant.as_const_signed() else { break };
        offset = offset.checked_add(constant.checked_mul(size)?)?;
        address = rest;
    }
    Some((address, offset))
}

/// Accesses of one kind, by one base and stride, of words of different places.
struct Group<'c> {
    accesses: Vec<Access<'c>>,
}

impl<'c> Group<'c> {
    /// Whether an access can be moved to the others. The words of a lane end before those of the next one begin, so that the
    /// order of stores does not matter.
    fn takes(&self, access: Option<Access<'c>>) -> bool {
        let (Some(access), Some(first)) = (access, self.accesses.first()) else { return false };
        let same = (access.base, access.stride, access.word)
            == (first.base, first.stride, first.word)
            && access.stores == first.stores;
        same && self.accesses.iter().all(|other| {
            let Some(distance) = access.offset.checked_sub(other.offset) else { return false };
            let distance = distance.unsigned_abs();
            let free = !access.stores
                || distance != 0 && distance + WORD as u64 <= access.stride.unsigned_abs();
            free && distance % WORD as u64 == 0 && distance < FARTHEST
        })
    }
}

struct Transpose<'c> {
    b: Builder<'c>,
    /// Words of a lane for which it pays.
    fewest: usize,
}

impl<'c> Transpose<'c> {
    fn rewrite(&self, group: Group<'c>) {
        let mut accesses = group.accesses;
        let Some((&first, &last)) = accesses.first().zip(accesses.last()) else { return };
        // All addresses are known at the first of the loads, and all values at the last of the stores.
        self.b.position_before(if first.stores { last.instruction } else { first.instruction });
        accesses.sort_by_key(|access| access.offset);
        let mut made = Vec::new();
        for side_by_side in accesses.chunk_by(|left, right| right.offset - left.offset <= WORD) {
            let done =
                if first.stores { self.store(side_by_side) } else { self.load(side_by_side) };
            made.extend_from_slice(done);
        }
        for access in made {
            let addresses = address_argument(access.instruction).unwrap_or(0);
            let addresses = access.instruction.operand(addresses);
            access.instruction.erase();
            erase_unused(addresses);
        }
    }

    /// Loads words side by side, some of which may be the same. Gives those that are done.
    fn load<'a>(&self, accesses: &'a [Access<'c>]) -> &'a [Access<'c>] {
        let (Some(first), Some(last)) = (accesses.first(), accesses.last()) else { return &[] };
        let number = |access: &Access<'c>| ((access.offset - first.offset) / WORD) as usize;
        let count = number(last) + 1;
        if count < self.fewest {
            return &[];
        }
        let mut words: Vec<Value<'c>> = Vec::new();
        while words.len() < count {
            // The last four may overlap with those before.
            let begin = words.len().min(count.saturating_sub(MOST));
            let loaded = self.load_words(first, begin, MOST.min(count));
            words.extend(loaded.into_iter().skip(words.len() - begin));
        }
        for access in accesses {
            access.instruction.replace_all_uses_with(words[number(access)]);
        }
        accesses
    }

    /// Loads `count` words, two to four, behind that of an access, from number `begin` on.
    fn load_words(&self, access: &Access<'c>, begin: usize, count: usize) -> Vec<Value<'c>> {
        let b = &self.b;
        let row = |lane: u32| {
            let place = |word: usize| self.place(access, lane, word as i64 * WORD);
            let load = |words: u32| b.load(access.word.vector(words), place(begin), WORD as u32);
            if count == MOST {
                return load(MOST as u32);
            }
            let pair = load(2);
            let row = b.shuffle(pair, pair, &[0, 1, -1, -1]);
            if count == 2 {
                return row;
            }
            let third = b.load(access.word, place(begin + 2), WORD as u32);
            b.insert_element(row, third, b.context().i32().const_int(2))
        };
        let mut words = self.by_registers(|lane| {
            self.transposed([0, 1, 2, 3].map(|number| {
                self.joined(row(lane + number), row(lane + number + LANES_TOGETHER / 2))
            }))
        });
        words.truncate(count);
        words
    }

    /// Stores words side by side, none of which are the same. Gives those that are done.
    fn store<'a>(&self, accesses: &'a [Access<'c>]) -> &'a [Access<'c>] {
        let mut done = 0;
        for words in accesses.chunks(MOST).filter(|words| words.len() >= self.fewest) {
            self.store_words(words);
            done += words.len();
        }
        &accesses[..done]
    }

    fn store_words(&self, words: &[Access<'c>]) {
        let b = &self.b;
        let Some(first) = words.first() else { return };
        let part = |word: usize, lane: u32| match words.get(word) {
            Some(access) => {
                // Not sooner: it may be what another group has loaded.
                let value = access.instruction.operand(0);
                let lanes: Vec<_> = (lane..lane + LANES_TOGETHER).map(|lane| lane as i32).collect();
                b.shuffle(value, value, &lanes)
            }
            None => first.word.vector(LANES_TOGETHER).poison(),
        };
        for lane in (0..LANES).step_by(LANES_TOGETHER as usize) {
            let rows = self.transposed([0, 1, 2, 3].map(|word| part(word, lane)));
            for (row, lane) in rows.into_iter().zip(lane..) {
                for (half, lane) in [(0, lane), (1, lane + LANES_TOGETHER / 2)] {
                    let begin = half * MOST;
                    let together = if words.len() == 3 { 2 } else { words.len() };
                    let elements: Vec<_> =
                        (begin..begin + together).map(|element| element as i32).collect();
                    let place = self.place(first, lane, 0);
                    b.store(b.shuffle(row, row, &elements), place, WORD as u32);
                    if words.len() == 3 {
                        let third = b.context().i32().const_int(begin as u64 + 2);
                        let place = self.place(first, lane, 2 * WORD);
                        b.store(b.extract_element(row, third), place, WORD as u32);
                    }
                }
            }
        }
    }

    /// The place in a lane so many bytes behind that of an access.
    fn place(&self, access: &Access<'c>, lane: u32, bytes: i64) -> Value<'c> {
        let cx = self.b.context();
        let base = access.base;
        let pointer =
            if base.ty().is_pointer() { base } else { self.b.int_to_ptr(base, cx.ptr(0)) };
        let lane = i64::from(lane).wrapping_mul(access.stride);
        let offset = access.offset.wrapping_add(lane).wrapping_add(bytes);
        self.b.byte_offset(pointer, cx.i64().const_int(offset as u64))
    }

    /// Vectors of 32 lanes, of those that `part` makes for a register from a lane on.
    fn by_registers(&self, part: impl Fn(u32) -> [Value<'c>; MOST]) -> Vec<Value<'c>> {
        let mut parts: Vec<_> =
            (0..LANES).step_by(LANES_TOGETHER as usize).map(|lane| part(lane).to_vec()).collect();
        while parts.len() > 1 {
            let pairs = parts.chunks_exact(2);
            parts = pairs
                .map(|pair| {
                    let both = pair[0].iter().zip(&pair[1]);
                    both.map(|(&low, &high)| self.joined(low, high)).collect()
                })
                .collect();
        }
        parts.pop().unwrap_or_default()
    }

    /// The elements of a vector and those of another one behind them.
    fn joined(&self, low: Value<'c>, high: Value<'c>) -> Value<'c> {
        let all: Vec<_> = (0..2 * low.ty().len() as i32).collect();
        self.b.shuffle(low, high, &all)
    }

    /// Rows and columns of four by four words change places, in both halves of registers of eight.
    fn transposed(&self, [first, second, third, fourth]: [Value<'c>; MOST]) -> [Value<'c>; MOST] {
        let b = &self.b;
        let low = |left, right| b.shuffle(left, right, &[0, 8, 1, 9, 4, 12, 5, 13]);
        let high = |left, right| b.shuffle(left, right, &[2, 10, 3, 11, 6, 14, 7, 15]);
        let low_pairs = |left, right| b.shuffle(left, right, &[0, 1, 8, 9, 4, 5, 12, 13]);
        let high_pairs = |left, right| b.shuffle(left, right, &[2, 3, 10, 11, 6, 7, 14, 15]);
        let [upper, lower] = [low(first, second), low(third, fourth)];
        let [upper_end, lower_end] = [high(first, second), high(third, fourth)];
        [
            low_pairs(upper, lower),
            high_pairs(upper, lower),
            low_pairs(upper_end, lower_end),
            high_pairs(upper_end, lower_end),
        ]
    }
}
