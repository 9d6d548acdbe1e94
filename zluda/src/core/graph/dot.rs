//! Graphs in the language of Graphviz.

use super::Graph;
use super::work::Work;
use std::fmt::Write;
use std::sync::Arc;

/// Writes a graph, with those of its nodes inside of it. `details` are added to what each node is called.
pub(crate) fn print(graph: &Graph, details: bool) -> String {
    let mut text = "digraph dot {\n".to_owned();
    let mut count = 0;
    subgraph(graph, details, &mut count, &mut text);
    text.push_str("}\n");
    text
}

fn subgraph(graph: &Graph, details: bool, count: &mut usize, text: &mut String) {
    let number = *count;
    *count += 1;
    let mut children: Vec<Arc<Graph>> = Vec::new();
    let name = |id: u64| format!("graph_{number}_node_{id}");
    let _ = writeln!(text, "subgraph cluster_{number} {{\nlabel=\"graph_{number}\"");
    {
        let topology = graph.topology.lock();
        for (id, links) in &topology.nodes {
            let work = links.node.work.lock();
            let _ =
                writeln!(text, "\"{}\"[shape=box label=\"{}\"];", name(*id), label(&work, details));
            children.extend(work.graphs());
        }
        for (id, links) in &topology.nodes {
            for edge in &links.after {
                let _ = writeln!(text, "\"{}\" -> \"{}\";", name(*id), name(edge.node));
            }
        }
    }
    for child in children {
        subgraph(&child, details, count, text);
    }
    text.push_str("}\n");
}

fn label(work: &Work, details: bool) -> String {
    let kind = match work {
        Work::Nothing => "EMPTY",
        Work::Kernel(_) => "KERNEL",
        Work::Copy(_) => "MEMCPY",
        Work::Fill(_) => "MEMSET",
        Work::Host(_) => "HOST",
        Work::Child(_) => "GRAPH",
        Work::Conditional(_) => "CONDITIONAL",
        Work::Record(_) => "EVENT_RECORD",
        Work::Wait(_) => "WAIT_EVENT",
        Work::Allocate(_) => "MEM_ALLOC",
        Work::Free(_) => "MEM_FREE",
    };
    match work {
        _ if !details => kind.to_owned(),
        Work::Kernel(launch) => {
            let (grid, block) = (launch.shape.grid, launch.shape.block);
            format!("{kind}\\n{}\\n{grid:?} blocks of {block:?}", launch.function.info.name)
        }
        Work::Copy(copy) => format!("{kind}\\n{:?} bytes, rows, slices", copy.copy.size()),
        Work::Fill(fill) => {
            format!(
                "{kind}\\n{:?} of {} by {} at {:#x}",
                fill.fill, fill.width, fill.height, fill.address
            )
        }
        Work::Allocate(memory) => format!("{kind}\\n{:#x}", memory.address()),
        Work::Free(address) => format!("{kind}\\n{address:#x}"),
        _ => kind.to_owned(),
    }
}
