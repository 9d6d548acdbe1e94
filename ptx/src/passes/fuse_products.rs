//! Input: the tree of a module.
//! Output: sums of products, of which neither says how it rounds, are `fma.rn`.
//! Why here: NVIDIA's compiler looks at the blocks of the text, before it moves or doubles anything.
//!
//! The rules were measured (tests/differential/dialects/products.txt, and by what ptxas 13.5 makes of such texts). A product
//! is fused into all that use it, or into none: into `add` and `sub` of the same type and with the same `.ftz`, without
//! a rounding, in the block of the product. Of two products that a sum could take it takes the first that nothing else
//! uses. A product with `.sat` stays as it is. A block ends at fences and at what takes many instructions, too. Products
//! that cost no register are fused into sums of other blocks as well (`everywhere`).
//!
//! Here, moreover, both factors have to be in their registers still, and products that `mov` or `neg` hands on, or
//! that a loop which is unrolled brings together with its sums, stay as they are.

mod everywhere;

use ptx_parser::isa::{Add, Fma, Mul, Sub};
use ptx_parser::{
    Access, Directive, Function, GuardedInstruction, Immediate, Instruction, Module, Operand,
    OperandRef, Rounding, ScalarType, Statement,
};
use rustc_hash::{FxHashMap, FxHashSet};

use everywhere::Facts;

/// Fuses products into sums, in all functions of the module.
pub fn run(module: &mut Module<'_>) {
    for directive in &mut module.directives {
        if let Directive::Function(function) = directive
            && let Some(fused) = Text::of(function).map(Text::fused)
            && !fused.is_empty()
            && let Some(body) = &mut function.body
        {
            replace(body, &fused, &mut 0);
        }
    }
}

type Fused<'a> = FxHashMap<usize, Instruction<'a>>;

/// `at` counts the instructions.
fn replace<'a>(statements: &mut [Statement<'a>], fused: &Fused<'a>, at: &mut usize) {
    for statement in statements {
        match statement {
            Statement::Block(inner) => replace(inner, fused, at),
            Statement::Instruction(guarded) => {
                if let Some(instruction) = fused.get(at) {
                    guarded.instruction = instruction.clone();
                }
                *at += 1;
            }
            _ => {}
        }
    }
}

/// The instructions of a function in their order, each with the number of its block.
#[derive(Default)]
struct Text<'t, 'a> {
    instructions: Vec<(&'t GuardedInstruction<'a>, usize)>,
    products: Vec<Product<'t, 'a>>,
    /// The instructions that read and write the registers of products and factors, as indices.
    reads: FxHashMap<&'a str, Vec<usize>>,
    writes: FxHashMap<&'a str, Vec<usize>>,
    /// Those of them that a block reads before it writes them.
    awaited: FxHashSet<&'a str>,
    /// The instructions behind labels.
    labels: FxHashMap<&'a str, usize>,
    facts: Facts<'a>,
}

struct Product<'t, 'a> {
    at: usize,
    name: &'a str,
    mul: &'t Mul<'a>,
    /// The sums that take it; none where it has another use.
    uses: Option<Vec<usize>>,
}

/// `add` or `sub` without a rounding.
#[derive(Clone, Copy)]
struct Sum<'t, 'a> {
    d: &'t Operand<'a>,
    a: &'t Operand<'a>,
    b: &'t Operand<'a>,
    type_: ScalarType,
    ftz: bool,
    sat: bool,
    subtracts: bool,
}

impl<'t, 'a> Sum<'t, 'a> {
    fn of(instruction: &'t Instruction<'a>) -> Option<Self> {
        Some(match instruction {
            Instruction::Add(Add { rnd: None, atype: None, type_, ftz, sat, d, a, b }) => {
                Sum { d, a, b, type_: *type_, ftz: *ftz, sat: *sat, subtracts: false }
            }
            Instruction::Sub(Sub { rnd: None, atype: None, type_, ftz, sat, d, a, b }) => {
                Sum { d, a, b, type_: *type_, ftz: *ftz, sat: *sat, subtracts: true }
            }
            _ => return None,
        })
    }

    /// The sum with this product fused.
    fn fused(&self, product: &Product<'t, 'a>) -> Option<Instruction<'a>> {
        let Mul { a, b, .. } = product.mul;
        let first = *self.a == Operand::Name(product.name);
        let (a, c) = match (self.subtracts, first) {
            (false, true) => (a.clone(), self.b.clone()),
            (false, false) => (a.clone(), self.a.clone()),
            (true, true) => (a.clone(), negative(self.b, self.type_)?),
            (true, false) => (negative(a, self.type_)?, self.a.clone()),
        };
        Some(Instruction::Fma(Fma {
            rnd: Rounding::Rn,
            ftz: self.ftz,
            sat: self.sat,
            relu: false,
            oob: false,
            type_: self.type_,
            abtype: None,
            d: self.d.clone(),
            a,
            b: b.clone(),
            c,
        }))
    }
}

fn negative<'a>(operand: &Operand<'a>, type_: ScalarType) -> Option<Operand<'a>> {
    Some(match operand {
        Operand::Name(name) => Operand::Minus(name),
        Operand::Immediate(value) => Operand::Immediate(match type_ {
            ScalarType::F32 => Immediate::F32(value.bits(type_)? as u32 ^ 1 << 31),
            ScalarType::F64 => Immediate::F64(value.bits(type_)? ^ 1 << 63),
            _ => return None,
        }),
        _ => return None,
    })
}

impl<'t, 'a> Text<'t, 'a> {
    /// Nothing for a function without products.
    fn of(function: &'t Function<'a>) -> Option<Self> {
        let body = function.body.as_ref()?;
        let mut text = Text::default();
        let mut targets = FxHashSet::default();
        collect_targets(body, &mut targets);
        text.collect(body, &targets, &mut 0);
        if text.products.is_empty() {
            return None;
        }
        text.facts = Facts::of(function, &text.instructions, &text.labels);
        let factors = |product: &Product<'t, 'a>| {
            let names = [&product.mul.d, &product.mul.a, &product.mul.b]
                .map(|operand| if let Operand::Name(name) = operand { Some(*name) } else { None });
            names.into_iter().flatten()
        };
        let mut watched: FxHashSet<&str> = text.products.iter().flat_map(factors).collect();
        watched.extend(&text.facts.bases);
        let mut given = FxHashMap::default();
        for (at, (guarded, block)) in text.instructions.iter().enumerate() {
            let mut written = Vec::new();
            guarded.instruction.names(|name, access| {
                if !watched.contains(name) {
                    return;
                }
                let places = match access {
                    Access::Read => {
                        if given.get(name) != Some(block) {
                            text.awaited.insert(name);
                        }
                        &mut text.reads
                    }
                    Access::Write => {
                        written.push(name);
                        &mut text.writes
                    }
                };
                places.entry(name).or_default().push(at);
            });
            if guarded.guard.is_none() {
                given.extend(written.into_iter().map(|name| (name, *block)));
            }
        }
        Some(text)
    }

    fn collect(
        &mut self,
        statements: &'t [Statement<'a>],
        targets: &FxHashSet<&'a str>,
        block: &mut usize,
    ) {
        for statement in statements {
            match statement {
                Statement::Block(inner) => self.collect(inner, targets, block),
                Statement::Label { name, .. } => {
                    *block += usize::from(targets.contains(name));
                    // Of two in different scopes the first makes the longer loops.
                    self.labels.entry(name).or_insert(self.instructions.len());
                }
                Statement::Instruction(guarded) => {
                    if guarded.guard.is_none()
                        && let Instruction::Mul(mul) = &guarded.instruction
                        && let Mul { mode: None, rnd: None, sat: false, .. } = mul
                        && mul.type_.is_float()
                        && let Operand::Name(name) = mul.d
                    {
                        let at = self.instructions.len();
                        self.products.push(Product { at, name, mul, uses: None });
                    }
                    self.instructions.push((guarded, *block));
                    if ends_block(guarded) {
                        *block += 1;
                    }
                }
                _ => {}
            }
        }
    }

    /// The instructions that take the place of sums.
    fn fused(mut self) -> Fused<'a> {
        let uses: Vec<_> = self.products.iter().map(|product| self.uses(product)).collect();
        for (product, uses) in self.products.iter_mut().zip(uses) {
            product.uses = uses;
        }
        let mut takers: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (number, product) in self.products.iter().enumerate() {
            for at in product.uses.iter().flatten() {
                takers.entry(*at).or_default().push(number);
            }
        }
        // Where a sum could take two, the other has another use.
        let mut sums: Vec<_> = takers.iter().filter(|(_, products)| products.len() > 1).collect();
        sums.sort_unstable();
        for (at, products) in sums {
            let Some(sum) = Sum::of(&self.instructions[*at].0.instruction) else { continue };
            let is_first = |number: &usize| *sum.a == Operand::Name(self.products[*number].name);
            let mut products = products.clone();
            products.sort_by_key(|number| {
                let uses = self.products[*number].uses.as_ref().map_or(usize::MAX, Vec::len);
                (uses, !is_first(number))
            });
            for number in &products[1..] {
                self.products[*number].uses = None;
            }
        }
        let mut fused = Fused::default();
        for product in &self.products {
            for at in product.uses.iter().flatten() {
                let sum = Sum::of(&self.instructions[*at].0.instruction);
                if let Some(instruction) = sum.and_then(|sum| sum.fused(product)) {
                    fused.insert(*at, instruction);
                }
            }
        }
        fused
    }

    /// The sums that take the product, if nothing else does.
    fn uses(&self, product: &Product<'t, 'a>) -> Option<Vec<usize>> {
        self.uses_everywhere(product).or_else(|| self.uses_in_block(product))
    }

    fn uses_in_block(&self, product: &Product<'t, 'a>) -> Option<Vec<usize>> {
        let next = after(&self.writes, product.name, product.at)
            .first()
            .filter(|at| self.block(**at) == self.block(product.at));
        let is_given_away = match next {
            Some(at) => self.instructions[*at].0.guard.is_some(),
            None => self.awaited.contains(product.name),
        };
        if is_given_away {
            return None;
        }
        let uses: Vec<usize> = after(&self.reads, product.name, product.at)
            .iter()
            .take_while(|at| next.is_none_or(|next| *at <= next))
            .take_while(|at| self.block(**at) == self.block(product.at))
            .copied()
            .collect();
        let fits = |at: &usize| self.fits(product, *at);
        (!uses.is_empty() && uses.iter().all(fits)).then_some(uses)
    }

    fn block(&self, at: usize) -> usize {
        self.instructions[at].1
    }

    fn fits(&self, product: &Product<'t, 'a>, at: usize) -> bool {
        let Some(sum) = Sum::of(&self.instructions[at].0.instruction) else { return false };
        let name = Operand::Name(product.name);
        let once = (*sum.a == name) != (*sum.b == name);
        let overwritten = [&product.mul.a, &product.mul.b].into_iter().any(|factor| {
            let Operand::Name(name) = factor else { return false };
            let write = after(&self.writes, name, product.at).first();
            *name == product.name || write.is_some_and(|write| *write < at)
        });
        once && !overwritten
            && (sum.type_, sum.ftz) == (product.mul.type_, product.mul.ftz)
            && sum.fused(product).is_some()
    }
}

/// Of ascending places of a register those behind one.
fn after<'p>(places: &'p FxHashMap<&str, Vec<usize>>, name: &str, at: usize) -> &'p [usize] {
    let places = places.get(name).map_or(&[][..], Vec::as_slice);
    &places[places.partition_point(|place| *place <= at)..]
}

/// The labels that code branches to.
fn collect_targets<'a>(statements: &[Statement<'a>], found: &mut FxHashSet<&'a str>) {
    for statement in statements {
        match statement {
            Statement::Block(inner) => collect_targets(inner, found),
            Statement::BranchTargets { targets, .. } => found.extend(targets),
            Statement::Instruction(guarded) => {
                if matches!(guarded.instruction, Instruction::Bra(_)) {
                    guarded.instruction.names(|name, _| {
                        found.insert(name);
                    });
                }
            }
            _ => {}
        }
    }
}

/// Whether NVIDIA's compiler ends a block behind the instruction: where control flow may part, in the code that it
/// makes or around it.
fn ends_block(guarded: &GuardedInstruction<'_>) -> bool {
    use Instruction::*;
    let is_long = match &guarded.instruction {
        Bra(_) | BrxIdx(_) | Call(_) | Ret(_) | Exit(_) | Trap(_) | Brkpt(_) | Pmevent(_)
        | Membar(_) => true,
        Fence(fence) => !fence.proxy,
        Div(div) if div.type_ == ScalarType::F32 => div.rnd.is_some(),
        Div(div) => div.type_ != ScalarType::U32,
        Rem(rem) => rem.type_ != ScalarType::U32,
        Rcp(rcp) => rcp.type_ == ScalarType::F64 && rcp.rnd.is_some(),
        Sqrt(sqrt) => sqrt.type_ == ScalarType::F64,
        Rsqrt(rsqrt) => rsqrt.type_ == ScalarType::F64 && !rsqrt.ftz,
        _ => false,
    };
    is_long || guarded.guard.is_some() && has_effects(&guarded.instruction)
}

/// Whether it is more than a computation of the thread's own.
fn has_effects(instruction: &Instruction<'_>) -> bool {
    use Instruction::*;
    if matches!(instruction, Shfl(_) | Vote(_) | MatchSync(_) | ReduxSync(_) | Bar(_) | Barrier(_))
    {
        return true;
    }
    let (mut writes, mut accesses) = (false, false);
    instruction.operands(|operand, access| {
        writes |= access == Access::Write;
        accesses |= matches!(operand, OperandRef::Address(_));
    });
    accesses || !writes
}
