//! Functions that compiled kernels call where LLVM would put hundreds of instructions in line: accesses
//! of 32 addresses, and arithmetic on 32 lanes, that the processor has no instruction for.

use llvm_zluda::{Builder, IntPredicate, Linkage, Module, Type, Value};

use crate::{Error, Options, rows};
use simt::LANES;

fn noinline<'c>(module: &Module<'c>, function: Value<'c>) {
    function.set_linkage(Linkage::LLVMInternalLinkage);
    module.add_attribute(function, "noinline");
    module.add_attribute(function, "nounwind");
}

/// A new function that code calls after its last optimisation, without a body yet.
pub(crate) fn late_function<'c>(module: &Module<'c>, name: &str, ty: Type<'c>) -> Value<'c> {
    let function = module.add_function(name, ty);
    noinline(module, function);
    module.add_attribute_with_value(function, "uwtable", 2);
    function
}

/// As [`late_function`], for vectors of all sizes that the options allow.
pub(crate) fn late_vector_function<'c>(
    module: &Module<'c>,
    name: &str,
    ty: Type<'c>,
    options: &Options,
) -> Value<'c> {
    let function = late_function(module, name, ty);
    let width = options.vector_width().to_string();
    module.add_string_attribute(function, "prefer-vector-width", &width);
    function
}

/// A lane's pointer, of its number.
type Pointers<'c> = Box<dyn Fn(&Builder<'c>, Value<'c>) -> Value<'c> + 'c>;

/// The form in which a function is given its 32 addresses.
#[derive(Clone, Copy)]
pub(crate) enum Places<'c> {
    /// A vector of pointers, or of 32-bit addresses.
    Vector(Type<'c>),
    /// A pointer, and the bytes from one lane to the next, `i64`.
    Strided,
}

impl<'c> Places<'c> {
    fn suffix(self) -> &'static str {
        match self {
            Self::Vector(places) if places.element().is_pointer() => "",
            Self::Vector(_) => ".near",
            Self::Strided => ".strided",
        }
    }

    fn parameters(self, module: &Module<'c>) -> Vec<Type<'c>> {
        match self {
            Self::Vector(places) => vec![places],
            Self::Strided => vec![module.context().ptr(0), module.context().i64()],
        }
    }

    /// The function of a lane's pointer, made from the parameters from `first` on.
    fn pointers(
        self,
        module: &Module<'c>,
        function: Value<'c>,
        first: u32,
        b: &Builder<'c>,
    ) -> Pointers<'c> {
        let cx = module.context();
        let place = function.parameter(first);
        match self {
            Self::Vector(places) => {
                let element = places.element();
                let stored = b.alloca(places);
                b.store(place, stored, 32);
                Box::new(move |b, lane| {
                    let at = b.gep(element, stored, &[lane]);
                    if element.is_pointer() {
                        return b.load(element, at, 8);
                    }
                    b.int_to_ptr(b.zext(b.load(element, at, 4), cx.i64()), cx.ptr(0))
                })
            }
            Self::Strided => {
                let stride = function.parameter(first + 1);
                Box::new(move |b, lane| b.byte_offset(place, b.mul(lane, stride)))
            }
        }
    }
}

/// `<32 x iN> (places, i32 active)`, where `places` are 32 pointers or 32-bit addresses; lanes that are not active
/// are undefined.
pub(crate) fn gather<'c>(module: &Module<'c>, bits: u32, places: Type<'c>) -> Value<'c> {
    gather_from(module, bits, Places::Vector(places))
}

/// Whether a name is that of a function of ours with 32 pointers: a [`gather`] or a [`scatter`], as `prefix` says.
pub(crate) fn is_of_pointers(prefix: &str, name: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|bits| bits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `<32 x iN> (ptr base, i64 stride, i32 active)`, as [`gather`].
pub(crate) fn gather_strided<'c>(module: &Module<'c>, bits: u32) -> Value<'c> {
    gather_from(module, bits, Places::Strided)
}

fn gather_from<'c>(module: &Module<'c>, bits: u32, places: Places<'c>) -> Value<'c> {
    let name = format!("spmd.gather.{bits}{}", places.suffix());
    if let Some(function) = module.function(&name) {
        return function;
    }
    let cx = module.context();
    let scalar = cx.int(bits);
    let vector = scalar.vector(LANES);
    let mut parameters = places.parameters(module);
    parameters.push(cx.i32());
    let function = module.add_function(&name, cx.function_type(vector, &parameters));
    noinline(module, function);
    let b = cx.builder();
    b.position_at_end(module.append_block(function, ""));
    let results = b.alloca(vector);
    let bytes = bits / 8;
    let pointer = places.pointers(module, function, 0, &b);
    where_a_row(module, function, places, 0, bytes, &b, &|b, row| {
        b.ret(b.load(vector, row, 1));
    });
    each_lane(
        module,
        function,
        &mut |b, lane| {
            let value = b.load(scalar, pointer(b, lane), 1);
            let place = b.gep(scalar, results, &[lane]);
            b.store(value, place, bytes);
        },
        &b,
    );
    let loaded = b.load(vector, results, bytes);
    b.ret(loaded);
    function
}

/// `void (<32 x iN>, places, i32 active)`, where `places` are 32 pointers or 32-bit addresses.
pub(crate) fn scatter<'c>(module: &Module<'c>, bits: u32, places: Type<'c>) -> Value<'c> {
    scatter_to(module, bits, Places::Vector(places))
}

/// `void (<32 x iN>, ptr base, i64 stride, i32 active)`.
pub(crate) fn scatter_strided<'c>(module: &Module<'c>, bits: u32) -> Value<'c> {
    scatter_to(module, bits, Places::Strided)
}

fn scatter_to<'c>(module: &Module<'c>, bits: u32, places: Places<'c>) -> Value<'c> {
    let name = format!("spmd.scatter.{bits}{}", places.suffix());
    if let Some(function) = module.function(&name) {
        return function;
    }
    let cx = module.context();
    let scalar = cx.int(bits);
    let vector = scalar.vector(LANES);
    let mut parameters = vec![vector];
    parameters.extend(places.parameters(module));
    parameters.push(cx.i32());
    let function = module.add_function(&name, cx.function_type(cx.void(), &parameters));
    noinline(module, function);
    let b = cx.builder();
    b.position_at_end(module.append_block(function, ""));
    let values = b.alloca(vector);
    let bytes = bits / 8;
    b.store(function.parameter(0), values, bytes);
    let pointer = places.pointers(module, function, 1, &b);
    where_a_row(module, function, places, 1, bytes, &b, &|b, row| {
        b.store(function.parameter(0), row, 1);
        b.ret_void();
    });
    each_lane(
        module,
        function,
        &mut |b, lane| {
            let place = b.gep(scalar, values, &[lane]);
            let value = b.load(scalar, place, bytes);
            b.store(value, pointer(b, lane), 1);
        },
        &b,
    );
    b.ret_void();
    function
}

/// Runs `body`, which returns, with the first of the addresses where they are those of a whole row, `bytes` apart in all lanes.
/// The addresses are the parameter `first`. Leaves the builder where they are not.
fn where_a_row<'c>(
    module: &Module<'c>,
    function: Value<'c>,
    places: Places<'c>,
    first: u32,
    bytes: u32,
    b: &Builder<'c>,
    body: &dyn Fn(&Builder<'c>, Value<'c>),
) {
    let Places::Vector(ty) = places else { return };
    let cx = module.context();
    let Some(&active) = function.parameters().last() else { return };
    let [compare, row, apart] =
        ["compare", "row", "apart"].map(|name| module.append_block(function, name));
    let are_all = |bits| b.icmp(IntPredicate::LLVMIntEQ, bits, cx.i32().all_ones());
    b.cond_br(are_all(active), compare, apart);

    b.position_at_end(compare);
    let place = function.parameter(first);
    let number = if ty.element().is_pointer() { cx.i64() } else { ty.element() };
    let numbers =
        if ty.element().is_pointer() { b.ptr_to_int(place, number.vector(LANES)) } else { place };
    let base = b.extract_element(numbers, cx.i32().const_int(0));
    let steps: Vec<_> = (0..LANES).map(|lane| number.const_int((lane * bytes).into())).collect();
    let of_row = b.add(b.splat(base, LANES), b.const_vector(&steps));
    let same = b.icmp(IntPredicate::LLVMIntEQ, numbers, of_row);
    b.cond_br(are_all(b.bitcast(same, cx.i32())), row, apart);

    b.position_at_end(row);
    let address = if number == cx.i64() { base } else { b.zext(base, cx.i64()) };
    body(b, b.int_to_ptr(address, cx.ptr(0)));
    b.position_at_end(apart);
}

/// Rows of 16 or 32 bytes on the stack, one for each lane.
#[derive(Clone, Copy)]
pub(crate) struct RowCopy {
    /// To the stack, not from there.
    pub loads: bool,
    /// Each access is one by the processor's manual, by an instruction that asks for alignment.
    pub ordered: bool,
}

/// `void (places, ptr rows, i32 active)`: copies the rows of active lanes.
pub(crate) fn copy_rows<'c>(
    module: &Module<'c>,
    bytes: u64,
    places: Places<'c>,
    copy: RowCopy,
) -> Value<'c> {
    let way = if copy.loads { "load" } else { "store" };
    let order = if copy.ordered { ".ordered" } else { "" };
    let name = format!("spmd.rows.{way}.{bytes}{}{order}", places.suffix());
    if let Some(function) = module.function(&name) {
        return function;
    }
    let cx = module.context();
    let mut parameters = places.parameters(module);
    let rows = parameters.len() as u32;
    parameters.extend([cx.ptr(0), cx.i32()]);
    let function = module.add_function(&name, cx.function_type(cx.void(), &parameters));
    noinline(module, function);
    let b = cx.builder();
    b.position_at_end(module.append_block(function, ""));
    let pointer = places.pointers(module, function, 0, &b);
    let (row_type, align) = (cx.i64().vector(bytes as u32 / 8), bytes as u32);
    let outside = if copy.ordered { align } else { 1 };
    each_lane(
        module,
        function,
        &mut |b, lane| {
            let place = pointer(b, lane);
            let distance = b.mul(lane, cx.i64().const_int(bytes));
            let row = b.byte_offset(function.parameter(rows), distance);
            // Volatile, so that it stays one access.
            if copy.loads {
                let value = b.load(row_type, place, outside);
                value.set_volatile(true);
                b.store(value, row, align);
            } else {
                let value = b.load(row_type, row, align);
                b.store(value, place, outside).set_volatile(true);
            }
        },
        &b,
    );
    b.ret_void();
    function
}

/// The function `name`, made if it is missing, that calls `body` with the elements of one lane after the other, and
/// returns a vector of the results.
pub(crate) fn lane_by_lane<'c>(
    module: &Module<'c>,
    name: &str,
    parameters: &[Type<'c>],
    result: Type<'c>,
    body: &dyn Fn(&Builder<'c>, &[Value<'c>]) -> Value<'c>,
) -> Value<'c> {
    if let Some(function) = module.function(name) {
        return function;
    }
    let cx = module.context();
    let function = module.add_function(name, cx.function_type(result, parameters));
    noinline(module, function);
    let [start, head, done] =
        ["start", "head", "done"].map(|name| module.append_block(function, name));
    let b = cx.builder();
    b.position_at_end(start);
    let inputs: Vec<_> = function
        .parameters()
        .into_iter()
        .map(|parameter| {
            let ty = rows::kept(module, parameter.ty());
            let slot = b.alloca(ty);
            rows::store(module, &b, parameter, slot, module.align_of(ty));
            (slot, parameter.ty().element())
        })
        .collect();
    let kept = rows::kept(module, result);
    let results = b.alloca(kept);
    b.br(head);
    b.position_at_end(head);
    let lane = b.phi(cx.i64());
    let elements: Vec<_> = inputs
        .into_iter()
        .map(|(slot, ty)| rows::load_element(module, &b, ty, slot, lane))
        .collect();
    rows::store_element(module, &b, body(&b, &elements), results, lane);
    let next = b.add(lane, cx.i64().const_int(1));
    lane.add_incoming(&[(cx.i64().zero(), start), (next, head)]);
    let last = cx.i64().const_int(u64::from(LANES));
    b.cond_br(b.icmp(IntPredicate::LLVMIntULT, next, last), head, done);
    b.position_at_end(done);
    let loaded = rows::load(module, &b, result, results, module.align_of(kept));
    b.ret(loaded);
    function
}

/// Of the uniform values, the elements and the number of a lane, its results.
type OfLane<'f, 'c> = &'f dyn Fn(
    &Builder<'c>,
    &[Value<'c>],
    &[Value<'c>],
    Value<'c>,
) -> Result<Vec<Value<'c>>, Error>;

/// `void (U..., V..., ptr..., i32 active)`: what `body` makes of each active lane, one after the other. The types are those
/// of what is uniform, of the elements of the vectors, and of the results at the pointers. `pace` says how it goes through a
/// whole warp, and so whether the vectors are arguments or lie at pointers.
pub(crate) fn for_active_lanes<'c>(
    module: &Module<'c>,
    name: &str,
    [uniform, elements, results]: [&[Type<'c>]; 3],
    pace: Pace,
    body: OfLane<'_, 'c>,
) -> Result<Value<'c>, Error> {
    if let Some(function) = module.function(name) {
        return Ok(function);
    }
    let cx = module.context();
    let mut parameters = uniform.to_vec();
    parameters.extend(elements.iter().map(|ty| match pace {
        Pace::AllAtOnce => ty.vector(LANES),
        Pace::OneByOne => cx.ptr(0),
    }));
    parameters.extend(results.iter().map(|_| cx.ptr(0)));
    parameters.push(cx.i32());
    let function = module.add_function(name, cx.function_type(cx.void(), &parameters));
    noinline(module, function);
    let b = cx.builder();
    b.position_at_end(module.append_block(function, ""));
    let parameters = function.parameters();
    let (uniform, rest) = parameters.split_at(uniform.len());
    let (vectors, rest) = rest.split_at(elements.len());
    let mut outcome = Ok(());
    let mut work = |b: &Builder<'c>, lane: Value<'c>, elements: &[Value<'c>]| match body(
        b, uniform, elements, lane,
    ) {
        Ok(made) => {
            for (value, row) in made.into_iter().zip(rest) {
                rows::store_element(module, b, value, *row, lane);
            }
        }
        Err(error) => outcome = Err(error),
    };
    let mut places = vectors.to_vec();
    if pace == Pace::AllAtOnce {
        let mask = parameters[parameters.len() - 1];
        let all = b.icmp(IntPredicate::LLVMIntEQ, mask, cx.i32().all_ones());
        let [whole, some] = ["whole", "some"].map(|name| module.append_block(function, name));
        places = elements.iter().map(|ty| b.alloca(rows::kept(module, ty.vector(LANES)))).collect();
        b.cond_br(all, whole, some);
        b.position_at_end(whole);
        // Out of registers: the way through memory takes half as long again.
        for lane in (0..LANES).map(|lane| cx.i64().const_int(lane.into())) {
            let elements: Vec<_> =
                vectors.iter().map(|vector| b.extract_element(*vector, lane)).collect();
            work(&b, lane, &elements);
        }
        b.ret_void();
        b.position_at_end(some);
        for (vector, place) in vectors.iter().zip(&places) {
            rows::store(module, &b, *vector, *place, 32);
        }
    }
    let mut load_and_work = |b: &Builder<'c>, lane: Value<'c>| {
        let load =
            |(ty, place): (&Type<'c>, &Value<'c>)| rows::load_element(module, b, *ty, *place, lane);
        let elements: Vec<_> = elements.iter().zip(&places).map(load).collect();
        work(b, lane, &elements);
    };
    each_lane(module, function, &mut load_and_work, &b);
    b.ret_void();
    outcome.map(|()| function)
}

/// The ways through a warp whose lanes are all active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// A loop over the bits of the mask, as for a part of the lanes.
    OneByOne,
    /// The work for all lanes stands there: it is a few instructions, and the loop would be more.
    AllAtOnce,
}

type Body<'f, 'c> = &'f mut dyn FnMut(&Builder<'c>, Value<'c>);

/// Runs `body` with each lane of the mask, which is the last parameter.
fn each_lane<'c>(module: &Module<'c>, function: Value<'c>, body: Body<'_, 'c>, b: &Builder<'c>) {
    let cx = module.context();
    let i32_type = cx.i32();
    let parameters = function.parameters();
    let Some(&mask) = parameters.last() else { return };
    let entry = b.block();
    let [head, work, done] =
        ["head", "work", "done"].map(|name| module.append_block(function, name));
    b.br(head);
    b.position_at_end(head);
    let left = b.phi(i32_type);
    let none = b.icmp(IntPredicate::LLVMIntEQ, left, i32_type.const_int(0));
    b.cond_br(none, done, work);
    b.position_at_end(work);
    let lane = b.intrinsic(module, "llvm.cttz", &[i32_type], &[left, cx.i1().const_int(1)]);
    body(b, b.zext(lane, cx.i64()));
    let rest = b.and(left, b.sub(left, i32_type.const_int(1)));
    b.br(head);
    left.add_incoming(&[(mask, entry), (rest, work)]);
    b.position_at_end(done);
}
