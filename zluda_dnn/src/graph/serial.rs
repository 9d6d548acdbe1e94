//! Descriptors as text, with all that they hold, for programs that keep plans: JSON of lists and integers alone.
//!
//! `[FORMAT, [[kind, [[attribute, type, [byte, ...]], [attribute, DESCRIPTOR, [place, ...]], ...]], ...]]`. A descriptor stands
//! behind those that it holds, whose places in the list its attributes say. The last one is the one that is kept.

use super::attribute::{self, size};
use super::{Backend, Value, create_unfinished};
use cuda_types::cudnn::{
    CudnnResult, cudnnBackendAttributeName_t as Name, cudnnBackendAttributeType_t as Type,
    cudnnBackendDescriptorType_t as Kind, cudnnError,
};
use std::fmt::Write;
use std::sync::Arc;

/// What a text begins with: other formats are refused.
const FORMAT: u64 = 1;

/// The attributes that have a descriptor as text.
pub(crate) const NAMES: [(Kind, Name); 3] = [
    (
        Kind::CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
        Name::CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
    ),
    (
        Kind::CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR,
        Name::CUDNN_ATTR_KERNEL_CACHE_JSON_REPRESENTATION,
    ),
    (Kind::CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, Name::CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION),
];

/// The attribute of a descriptor that is its text, if it has one.
pub(crate) fn name_of(kind: Kind) -> Option<Name> {
    NAMES.iter().find(|(of, _)| *of == kind).map(|(_, name)| *name)
}

/// A descriptor as text.
pub(crate) fn write(descriptor: &Arc<Backend>) -> String {
    let mut seen = Vec::new();
    let mut text = format!("[{FORMAT},[");
    write_all(descriptor, &mut seen, &mut text);
    text.push_str("]]");
    text
}

/// Writes a descriptor behind those that it holds, and says its place.
fn write_all(
    descriptor: &Arc<Backend>,
    seen: &mut Vec<*const Backend>,
    text: &mut String,
) -> usize {
    if let Some(place) = seen.iter().position(|other| *other == Arc::as_ptr(descriptor)) {
        return place;
    }
    let mut attributes = Vec::new();
    for (name, value) in descriptor.values() {
        let (ty, numbers) = match value {
            // Those of this process mean nothing to another one; a text has no text in it.
            Value::Plain(Type::CUDNN_TYPE_HANDLE | Type::CUDNN_TYPE_CHAR, _) => continue,
            Value::Plain(ty, bytes) => (ty, bytes.into_iter().map(usize::from).collect()),
            Value::Descriptors(all) => (
                Type::CUDNN_TYPE_BACKEND_DESCRIPTOR,
                all.iter().map(|held| write_all(held, seen, text)).collect::<Vec<usize>>(),
            ),
        };
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        attributes.push(format!("[{},{},[{}]]", name.0, ty.0, numbers.join(",")));
    }
    let comma = if seen.is_empty() { "" } else { "," };
    // Writing to a string does not fail.
    let _ = write!(text, "{comma}[{},[{}]]", descriptor.kind.0, attributes.join(","));
    seen.push(Arc::as_ptr(descriptor));
    seen.len() - 1
}

/// The attributes of the descriptor of a kind that is kept as text. `finish` checks each that it holds.
pub(crate) fn read(
    text: &[u8],
    kind: Kind,
    finish: fn(Arc<Backend>) -> CudnnResult,
) -> CudnnResult<Vec<(Name, Value)>> {
    let mut rest = text;
    let whole = parse(&mut rest, 0).filter(|_| rest.is_empty()).ok_or(INVALID)?;
    let [Item::Number(FORMAT), Item::List(all)] = whole.list()? else { return Err(INVALID) };
    let (last, held) = all.split_last().ok_or(INVALID)?;
    let (mut made, mut levels) = (Vec::new(), Vec::new());
    for item in held {
        let (kind, values) = attributes(item, &made)?;
        levels.push(level(item, &levels)?);
        let descriptor = create_unfinished(kind, values);
        finish(descriptor.clone())?;
        made.push(descriptor);
    }
    let (of, values) = attributes(last, &made)?;
    if of == kind { Ok(values) } else { Err(INVALID) }
}

/// Descriptors that hold each other one in the other: a plan has one level for each of its parts, an attention two more.
const LEVELS: usize = 16;

/// How many descriptors the one of an item holds one in the other, where `levels` are those of the ones before it. What is
/// known to be small can be walked without running out of stack.
fn level(item: &Item, levels: &[usize]) -> CudnnResult<usize> {
    let mut most = 0;
    let [_, attributes] = item.list()? else { return Err(INVALID) };
    for attribute in attributes.list()? {
        let [_, ty, places] = attribute.list()? else { return Err(INVALID) };
        if Type(ty.small()?) == Type::CUDNN_TYPE_BACKEND_DESCRIPTOR {
            for place in places.list()? {
                most = most.max(*levels.get(place.small()? as usize).ok_or(INVALID)?);
            }
        }
    }
    if most < LEVELS { Ok(most + 1) } else { Err(INVALID) }
}

const INVALID: cudnnError = cudnnError::BAD_PARAM;

/// The kind and the attributes of a descriptor that holds others before it.
fn attributes(item: &Item, made: &[Arc<Backend>]) -> CudnnResult<(Kind, Vec<(Name, Value)>)> {
    let [kind, attributes] = item.list()? else { return Err(INVALID) };
    let kind = Kind(kind.small()?);
    if !attribute::is_known(kind) {
        return Err(INVALID);
    }
    let mut values = Vec::new();
    for item in attributes.list()? {
        let [name, ty, elements] = item.list()? else { return Err(INVALID) };
        let (name, ty, elements) = (Name(name.small()?), Type(ty.small()?), elements.list()?);
        let attribute = attribute::find(kind, name).ok_or(INVALID)?;
        let is_text = matches!(ty, Type::CUDNN_TYPE_HANDLE | Type::CUDNN_TYPE_CHAR);
        if is_text || !attribute.takes(name, ty) {
            return Err(INVALID);
        }
        let (value, count) = if ty == Type::CUDNN_TYPE_BACKEND_DESCRIPTOR {
            let of = |item: &Item| made.get(item.small()? as usize).cloned().ok_or(INVALID);
            (
                Value::Descriptors(elements.iter().map(of).collect::<CudnnResult<_>>()?),
                elements.len(),
            )
        } else {
            let byte = |item: &Item| u8::try_from(item.small()?).map_err(|_| INVALID);
            let bytes = elements.iter().map(byte).collect::<CudnnResult<Vec<u8>>>()?;
            let count = bytes.len() / size(ty);
            if count * size(ty) != bytes.len() || count == 0 {
                return Err(INVALID);
            }
            (Value::Plain(ty, bytes), count)
        };
        if count as i64 > attribute.most {
            return Err(INVALID);
        }
        values.push((name, value));
    }
    Ok((kind, values))
}

/// What a text is made of.
enum Item {
    Number(u64),
    List(Vec<Item>),
}

impl Item {
    fn list(&self) -> CudnnResult<&[Item]> {
        match self {
            Item::List(items) => Ok(items),
            Item::Number(_) => Err(INVALID),
        }
    }

    fn small(&self) -> CudnnResult<u32> {
        match self {
            Item::Number(number) => u32::try_from(*number).map_err(|_| INVALID),
            Item::List(_) => Err(INVALID),
        }
    }
}

/// Lists in lists that a text has.
const DEPTH: usize = 8;

fn parse(rest: &mut &[u8], depth: usize) -> Option<Item> {
    let take = |rest: &mut &[u8], wanted: u8| {
        let found = rest.first() == Some(&wanted);
        if found {
            *rest = &rest[1..];
        }
        found
    };
    if !take(rest, b'[') {
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, behind) = rest.split_at(length);
        *rest = behind;
        return std::str::from_utf8(digits).ok()?.parse().ok().map(Item::Number);
    }
    if depth == DEPTH {
        return None;
    }
    let mut items = Vec::new();
    if take(rest, b']') {
        return Some(Item::List(items));
    }
    loop {
        items.push(parse(rest, depth + 1)?);
        if take(rest, b']') {
            return Some(Item::List(items));
        }
        if !take(rest, b',') {
            return None;
        }
    }
}
