//! Graphs in the language of Graphviz, in the words of NVIDIA's driver.
//!
//! `topoId` numbers nodes from the last to the first; where several orders are possible, NVIDIA's driver may choose
//! another one.

use super::conditional::Conditional;
use super::work::{Copy, FillOf, Launch, Semaphores, Work};
use super::{Graph, Node, Topology};
use crate::core::memory;
use crate::core::memory::graph_memory::Memory;
use crate::core::texture::array;
use cuda_types::cuda::{
    CUDA_MEMCPY3D, CUarray, CUgraphConditionalNodeType as C, CUgraphDebugDot_flags as F,
    CUmemAllocationType, CUmemorytype as M,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

/// The properties of nodes that are printed; `CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE` stands for all.
#[derive(Clone, Copy)]
struct Flags(u32);

impl Flags {
    fn has(self, flag: F) -> bool {
        self.0 & (F::CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE.0 | flag.0) != 0
    }

    fn handles(self) -> bool {
        self.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)
    }

    fn topology(self) -> bool {
        self.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO)
    }
}

/// A graph, and behind it those of its nodes.
pub(crate) fn print(graph: &Graph, flags: u32) -> String {
    let mut text = "digraph dot {\n".to_owned();
    cluster(graph, Flags(flags), &mut text);
    text.push_str("}\n");
    text
}

fn cluster(graph: &Graph, flags: Flags, text: &mut String) {
    let number = graph.number;
    let mut children: Vec<Arc<Graph>> = Vec::new();
    // Nobody can be told that a string has no room.
    let _ = writeln!(
        text,
        "subgraph cluster_{number} {{\nlabel=\"graph_{number}\" graph[style=\"dashed\"];"
    );
    {
        // It is not locked while nodes are: who launches them may wait for the end of a context, which may wait for who changes
        // the graph.
        let topology = graph.topology.lock().clone();
        let places: HashMap<u64, usize> =
            topology.nodes.keys().enumerate().map(|(place, id)| (*id, place)).collect();
        let name = |id: &u64| format!("\"graph_{number}_node_{}\"", places[id]);
        let ranks = if flags.topology() { ranks(&topology) } else { HashMap::new() };
        for (id, links) in &topology.nodes {
            let mut place = places[id].to_string();
            if let Some(rank) = ranks.get(id) {
                let _ = write!(place, " (topoId: {rank})");
            }
            let work = links.node.work.lock();
            let _ = write!(text, "{}", name(id));
            let shown = Shown { node: &links.node, id: place, flags };
            let _ = writeln!(text, "[{}\"];\n", shown.attributes(&work));
            children.extend(work.graphs());
        }
        for (id, links) in &topology.nodes {
            for edge in &links.after {
                let _ = write!(text, "{} -> {}", name(id), name(&edge.node));
                if flags.topology() {
                    let before =
                        topology.nodes.get(&edge.node).map(|links| links.before.as_slice());
                    let place = before.and_then(|all| all.iter().position(|edge| edge.node == *id));
                    let _ = write!(text, " [headlabel={}]", place.unwrap_or(0));
                }
                text.push_str(";\n");
            }
        }
    }
    text.push_str("}\n");
    for child in children {
        cluster(&child, flags, text);
    }
}

/// The nodes numbered so that each has a greater number than those that come after it.
fn ranks(topology: &Topology) -> HashMap<u64, usize> {
    let mut ranks = HashMap::new();
    let roots = topology.nodes.iter().rev().filter(|(_, links)| links.before.is_empty());
    // Each node with how many of those after it have been looked at.
    let mut path: Vec<(u64, usize)> = Vec::new();
    let mut begun = HashSet::new();
    for (root, _) in roots {
        path.push((*root, 0));
        while let Some((id, seen)) = path.last_mut() {
            let after = topology.nodes.get(id).map_or(&[][..], |links| &links.after);
            match after.iter().rev().nth(*seen) {
                Some(edge) => {
                    *seen += 1;
                    if begun.insert(edge.node) {
                        path.push((edge.node, 0));
                    }
                }
                None => {
                    let rank = ranks.len();
                    ranks.insert(*id, rank);
                    path.pop();
                }
            }
        }
    }
    ranks
}

/// A node that is printed.
struct Shown<'s> {
    node: &'s Node,
    id: String,
    flags: Flags,
}

impl Shown<'_> {
    /// All but the end of the label.
    fn attributes(&self, work: &Work) -> String {
        match work {
            Work::Nothing => self.plain("EMPTY", ""),
            Work::Kernel(launch) => self.kernel(launch),
            Work::Copy(copy) => self.copy(copy),
            Work::Fill(fill) => self.fill(fill),
            Work::Batch(_) => self.plain("BATCH_MEM_OP", ""),
            Work::Semaphores(Semaphores::Signal, _) => self.plain("EXT_SEMAS_SIGNAL", ""),
            Work::Semaphores(Semaphores::Wait, _) => self.plain("EXT_SEMAS_WAIT", ""),
            Work::Host(call) if self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS) => {
                let function = call.function.map_or(0, |function| function as usize as u64);
                let (function, data) = (address(function), address(call.data as u64));
                self.plain("HOST", &format!("fn: {function}\nuserData: {data}\n"))
            }
            Work::Host(_) => self.plain("HOST", ""),
            Work::Task(_) => self.plain("KERNEL", ""),
            Work::Child(graph) => self.plain(&format!("graph_{}", graph.number), ""),
            Work::Conditional(node) => self.conditional(node),
            Work::Record(event) => self.event("EVENT_RECORD", event.handle() as u64),
            Work::Wait(event) => self.event("EVENT_WAIT", event.handle() as u64),
            Work::Allocate(memory) => self.allocate(memory),
            Work::Free(place) => {
                if !self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS) {
                    return self.plain("MEM_FREE", "");
                }
                let place = address(*place);
                self.record(&format!(
                    "{{\nMEM_FREE\n{}\n| {{{{dptr}} | {{{place}}}}}\n}}",
                    self.ids()
                ))
            }
        }
    }

    fn handle(&self) -> String {
        address(self.node.handle() as u64)
    }

    /// A line where handles are wanted.
    fn handle_line(&self) -> String {
        if self.flags.handles() {
            format!("node handle: {}\n", self.handle())
        } else {
            String::new()
        }
    }

    /// The row of a record that says which node it is.
    fn ids(&self) -> String {
        let id = &self.id;
        match self.flags.handles() {
            true => format!("| {{{{ID | node handle}} | {{{id} | {}}}}}", self.handle()),
            false => format!("| {{{{ID}} | {{{id}}}}}"),
        }
    }

    fn plain(&self, kind: &str, more: &str) -> String {
        let (id, handle) = (&self.id, self.handle_line());
        format!("style=\"solid\" shape=\"rectangle\" label=\"{id}\n{kind}\n{handle}{more}")
    }

    fn record(&self, label: &str) -> String {
        format!("style=\"solid\" shape=\"record\" label=\"{label}")
    }

    fn event(&self, kind: &str, event: u64) -> String {
        match self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS) {
            true => self.plain(kind, &format!("event: {}\n", address(event))),
            false => self.plain(kind, ""),
        }
    }

    fn kernel(&self, launch: &Launch) -> String {
        let (id, name, config) = (&self.id, &launch.function.info.name, &launch.config);
        let params = match self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS) {
            true => {
                let (grid, block) = (extent(config.grid), extent(config.block));
                format!("\\<\\<\\<{grid},{block},{}\\>\\>\\>", config.shared)
            }
            false => String::new(),
        };
        let function = address(launch.function.handle() as u64);
        if !self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES) {
            let handles = match self.flags.handles() {
                true => format!("{}func handle: {function}\n", self.handle_line()),
                false => String::new(),
            };
            return format!(
                "style=\"bold\" shape=\"octagon\" label=\"{id}\n{name}\n{params}{handles}"
            );
        }
        let handles = match self.flags.handles() {
            true => {
                format!(
                    "| {{{{node handle | func handle}} | {{{} | {function}}}}}\n",
                    self.handle()
                )
            }
            false => String::new(),
        };
        let (cooperative, priority) =
            (u8::from(config.cooperative), config.priority.unwrap_or_default());
        format!(
            "style=\"bold\" shape=\"record\" label=\"{{KERNEL\n| {{ID | {id} | {name}{params}}}\n{handles}\
             | {{accessPolicyWindow | {{base_ptr | num_bytes | hitRatio | hitProp | missProp}} | \
             {{0x0000000000000000 | 0 | 0.000000 | N | N}}}}\n\
             | {{cooperative | {cooperative}}}\n| {{priority | {priority}}}\n}}"
        )
    }

    fn fill(&self, fill: &FillOf) -> String {
        let (id, (size, value)) = (&self.id, fill.fill.element());
        let FillOf { pitch, width, height, .. } = *fill;
        if !self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS) {
            let bytes = size as usize * width * height;
            return format!(
                "style=\"solid\" shape=\"invtrapezium\"label=\"{id}\nMEMSET\n{}({value},{bytes})\n",
                self.handle_line()
            );
        }
        let (name, handle) = match self.flags.handles() {
            true => (" | node handle", format!(" | {}", self.handle())),
            false => ("", String::new()),
        };
        let place = address(fill.address);
        format!(
            "style=\"solid\" style=\"solid\" shape=\"record\" label=\"{{MEMSET\n\
             | {{{{ID{name} | dptr | pitch | value | elementSize | width | height}} | \
             {{{id}{handle} | {place} | {pitch} | {value} | {size} | {width} | {height}}}}}}}"
        )
    }

    fn copy(&self, copy: &Copy) -> String {
        let d = &copy.description.0;
        let bytes = d.WidthInBytes * d.Height * d.Depth;
        if !self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS) {
            let (from, to) = (letter(d.srcMemoryType), letter(d.dstMemoryType));
            return format!(
                "style=\"solid\" shape=\"trapezium\"label=\"{}\nMEMCPY\n{}({from}to{to},{bytes})\n",
                self.id,
                self.handle_line()
            );
        }
        if self.flags.0 & F::CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES.0 != 0 {
            return self.record(&format!("{{\nMEMCPY\n{}\n{}\n}}", self.ids(), runtime_copy(d)));
        }
        const NAMES: &str =
            "MemoryType | Array | Host | Device | XInBytes | Y | Z | Pitch | Height | LOD";
        let [from, to] = ends(d);
        let (width, height, depth) = (d.WidthInBytes, d.Height, d.Depth);
        self.record(&format!(
            "{{\nMEMCPY\n{}\n| {{{{src | dst}} | {{ {NAMES} | {NAMES}}} | {{{from} | {to}}}}}\n\
             | {{Extent | {{WidthInBytes | Height | Depth}} | {{{width} | {height} | {depth}}}}}\n}}",
            self.ids()
        ))
    }

    fn allocate(&self, memory: &Memory) -> String {
        if !self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS) {
            return self.plain("MEM_ALLOC", "");
        }
        let params = memory.params();
        let (bytes, place) = (params.bytesize, address(params.dptr));
        let device = params.poolProps.location.id;
        let kind = match params.poolProps.allocType {
            CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED => "MANAGED",
            _ => "PINNED",
        };
        self.record(&format!(
            "{{\nMEM_ALLOC\n{}\n| {{{{{{poolProps | {{allocType | handleTypes | {{location | {{type | id}}}}}} | \
             {{{kind} | NONE | DEVICE | {device}}}}}}}}}\n| {{{{bytesize | dptr}} | {{{bytes} | {place}}}}}\n}}",
            self.ids()
        ))
    }

    fn conditional(&self, node: &Conditional) -> String {
        let mut rows = format!("| {{ID | {}}}\n", self.id);
        if self.flags.handles() {
            let _ = writeln!(rows, "| {{node handle| {}}}", self.handle());
        }
        if self.flags.has(F::CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) {
            let _ = writeln!(rows, "| {{Conditional Handle|{}}}", node.condition.handle());
        }
        let kind = match node.kind {
            C::CU_GRAPH_COND_TYPE_WHILE => "WHILE",
            C::CU_GRAPH_COND_TYPE_SWITCH => "SWITCH",
            _ => "IF",
        };
        let _ = writeln!(rows, "| {{Conditional Type| {kind}}}");
        let bodies: Vec<u64> = node.bodies.iter().map(|body| body.number).collect();
        for (index, body) in bodies.iter().enumerate() {
            let _ = match (kind, index, bodies.len()) {
                ("SWITCH", ..) => writeln!(rows, "| {{{index}|  graph_{body}}}"),
                (_, _, 1) => writeln!(rows, "| {{True|graph_{body}}}"),
                (_, 0, _) => writeln!(rows, "| {{True | graph_{body}}}"),
                _ => writeln!(rows, "| {{False| graph_{body}}}"),
            };
        }
        format!("style=\"bold\" shape=\"record\" label=\"{{\nCONDITIONAL\n{rows}}}\n")
    }
}

fn address(address: u64) -> String {
    format!("0x{address:016X}")
}

/// Numbers of one dimension stand alone.
fn extent(size: [u32; 3]) -> String {
    match size {
        [x, 1, 1] => x.to_string(),
        [x, y, z] => format!("\\{{{x},{y},{z}\\}}"),
    }
}

fn letter(kind: M) -> char {
    match kind {
        M::CU_MEMORYTYPE_HOST => 'H',
        M::CU_MEMORYTYPE_ARRAY => 'A',
        M::CU_MEMORYTYPE_UNIFIED => 'U',
        _ => 'D',
    }
}

/// The source and the destination of a copy.
fn ends(d: &CUDA_MEMCPY3D) -> [String; 2] {
    let end = |kind: M, places: [u64; 3], numbers: [usize; 6]| {
        let [array, host, device] = places.map(address);
        let kind = memory_type(kind, places);
        let numbers = numbers.map(|number| number.to_string()).join(" | ");
        format!("{kind} | {array} | {host} | {device} | {numbers}")
    };
    [
        end(
            d.srcMemoryType,
            [d.srcArray as u64, d.srcHost as u64, d.srcDevice],
            [d.srcXInBytes, d.srcY, d.srcZ, d.srcPitch, d.srcHeight, d.srcLOD],
        ),
        end(
            d.dstMemoryType,
            [d.dstArray as u64, d.dstHost as u64, d.dstDevice],
            [d.dstXInBytes, d.dstY, d.dstZ, d.dstPitch, d.dstHeight, d.dstLOD],
        ),
    ]
}

/// A copy as `cudaMemcpy3DParms` says it.
fn runtime_copy(d: &CUDA_MEMCPY3D) -> String {
    let from = (d.srcMemoryType, [d.srcArray as u64, d.srcHost as u64, d.srcDevice]);
    let to = (d.dstMemoryType, [d.dstArray as u64, d.dstHost as u64, d.dstDevice]);
    let kind = match [letter(from.0), letter(to.0)] {
        ['U', _] | [_, 'U'] => "default".to_owned(),
        [from, to] => format!("{from}to{to}"),
    };
    let places = format!("{} to {}", place_of(from.0, from.1), place_of(to.0, to.1));
    // Offsets and sizes of arrays are in elements.
    let arrays =
        [from, to].map(|(kind, [array, ..])| (kind == M::CU_MEMORYTYPE_ARRAY).then_some(array));
    let element = arrays.into_iter().flatten().next().map_or(1, |array| element_size(array).max(1));
    let linear = |(kind, [_, host, device]): (M, [u64; 3]), pitch: usize, height: usize| {
        let place = address(if kind == M::CU_MEMORYTYPE_HOST { host } else { device });
        format!("{pitch} | {place} | 0 | {height}")
    };
    const ROW: &str = "pitch | ptr | xsize | ysize";
    let (source, target) =
        (linear(from, d.srcPitch, d.srcHeight), linear(to, d.dstPitch, d.dstHeight));
    let ends = match arrays {
        [None, None] => {
            format!("| {{{{srcPtr | dstPtr}} | {{{ROW} | {ROW}}} | {{{source} | {target}}}}}")
        }
        _ => {
            let [from, to] = [("src", arrays[0], source), ("dst", arrays[1], target)].map(
                |(end, array, linear)| match array {
                    Some(array) => format!("| {{{end}Array | {}}}", address(array)),
                    None => format!("| {{{end}Ptr | {{{ROW}}} | {{{linear}}}}}"),
                },
            );
            format!("{from}\n{to}")
        }
    };
    let corner = |end: &str, x: usize, y: usize, z: usize| {
        format!("{{{end}Pos | {{{{x | {x}}} | {{y | {y}}} | {{z | {z}}}}}}}")
    };
    let x =
        |bytes: usize, array: Option<u64>| if array.is_some() { bytes / element } else { bytes };
    let (source, target) = (
        corner("src", x(d.srcXInBytes, arrays[0]), d.srcY, d.srcZ),
        corner("dst", x(d.dstXInBytes, arrays[1]), d.dstY, d.dstZ),
    );
    let (width, height, depth) = (d.WidthInBytes / element, d.Height, d.Depth);
    format!(
        "| {{kind | {kind} ({places})}}\n{ends}\n| {{{source} | {target} | \
         {{Extent | {{{{Width | {width}}} | {{Height | {height}}} | {{Depth | {depth}}}}}}}}}"
    )
}

/// Bytes of an array's element.
fn element_size(handle: u64) -> usize {
    array::from_handle(handle as CUarray).map_or(1, |array| array.format.size())
}

/// The name of a kind of memory.
fn place_of(kind: M, [_, host, device]: [u64; 3]) -> &'static str {
    let is_pinned = |place| memory::find_host(place).is_some();
    match kind {
        M::CU_MEMORYTYPE_HOST if is_pinned(host) => "HOST PINNED",
        M::CU_MEMORYTYPE_HOST => "HOST PAGEABLE",
        M::CU_MEMORYTYPE_UNIFIED if is_pinned(device) => "HOST PINNED",
        _ => "DEVICE",
    }
}

/// The type that the program says, and what the memory is.
fn memory_type(kind: M, places: [u64; 3]) -> String {
    let name = match kind {
        M::CU_MEMORYTYPE_HOST => "HOST",
        M::CU_MEMORYTYPE_ARRAY => "ARRAY",
        M::CU_MEMORYTYPE_UNIFIED => "UNIFIED",
        _ => "DEVICE",
    };
    format!("{name} ({})", place_of(kind, places))
}
