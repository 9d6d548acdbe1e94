//! Captures of streams.

use super::graph::before;
use crate::convert::{In, Out};
use crate::core::capture::{self, Info};
use crate::core::graph::{self, Edge, EdgeData, Graph, Node};
use crate::core::stream::StreamArg;
use cuda_types::cuda::{
    CUerror, CUgraph, CUgraphEdgeData, CUgraphNode, CUres, CUstreamCaptureMode as Mode,
    CUstreamCaptureStatus,
};
use std::ffi::c_uint;
use std::ptr::null_mut;
use std::sync::Arc;

fn check_mode(mode: Mode) -> CUres {
    if mode.0 > Mode::CU_STREAM_CAPTURE_MODE_RELAXED.0 {
        return Err(CUerror::INVALID_VALUE);
    }
    Ok(())
}

pub(crate) fn cuStreamBeginCapture(stream: StreamArg) -> CUres {
    cuStreamBeginCapture_v2(stream, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL)
}

pub(crate) fn cuStreamBeginCapture_v2(stream: StreamArg, mode: Mode) -> CUres {
    check_mode(mode)?;
    capture::begin(&stream, &stream.enter()?.current.context, None, mode)
}

pub(crate) fn cuStreamBeginCaptureToGraph(
    stream: StreamArg,
    graph: Arc<Graph>,
    nodes: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    mode: Mode,
) -> CUres {
    check_mode(mode)?;
    let before = before(&graph, nodes, data, count)?;
    let edge = |(node, data): &(Arc<Node>, CUgraphEdgeData)| Edge {
        node: node.id,
        data: EdgeData::of(data),
    };
    let edges = before.iter().map(edge).collect();
    capture::begin(&stream, &stream.enter()?.current.context, Some((graph, edges)), mode)
}

pub(crate) fn cuStreamEndCapture(stream: StreamArg, graph: Out<CUgraph>) -> CUres {
    let target = stream.enter()?;
    match capture::end(&stream, &target.current.context) {
        Ok(captured) => {
            graph.set_if_wanted(captured.handle());
            Ok(())
        }
        Err(error) => {
            graph.set_if_wanted(null_mut());
            Err(error)
        }
    }
}

fn info(stream: &StreamArg, status: Out<CUstreamCaptureStatus>) -> CUres<Info> {
    status.check()?;
    let info = capture::info(stream, &stream.enter()?.current.context)?;
    status.set(info.status)?;
    Ok(info)
}

pub(crate) fn cuStreamIsCapturing(stream: StreamArg, status: Out<CUstreamCaptureStatus>) -> CUres {
    info(&stream, status).map(drop)
}

pub(crate) fn cuStreamGetCaptureInfo(
    stream: StreamArg,
    status: Out<CUstreamCaptureStatus>,
    id: Out<u64>,
) -> CUres {
    if let Some(capture) = info(&stream, status)?.capture {
        id.set_if_wanted(capture.id);
    }
    Ok(())
}

pub(crate) fn cuStreamGetCaptureInfo_v2(
    stream: StreamArg,
    status: Out<CUstreamCaptureStatus>,
    id: Out<u64>,
    graph: Out<CUgraph>,
    dependencies: Out<*const CUgraphNode>,
    count: Out<usize>,
) -> CUres {
    cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, Out::none(), count)
}

pub(crate) fn cuStreamGetCaptureInfo_v3(
    stream: StreamArg,
    status: Out<CUstreamCaptureStatus>,
    id: Out<u64>,
    graph: Out<CUgraph>,
    dependencies: Out<*const CUgraphNode>,
    edges: Out<*const CUgraphEdgeData>,
    count: Out<usize>,
) -> CUres {
    // Edges of no nodes mean nothing.
    if dependencies.is_null() && !edges.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    let info = info(&stream, status)?;
    let Some(capture) = info.capture else { return Ok(()) };
    if info.has_edge_data && edges.is_null() && !dependencies.is_null() {
        return Err(CUerror::LOSSY_QUERY);
    }
    id.set_if_wanted(capture.id);
    graph.set_if_wanted(capture.graph.handle());
    dependencies.set_if_wanted(info.dependencies.0);
    edges.set_if_wanted(info.dependencies.1);
    count.set_if_wanted(info.dependencies.2);
    Ok(())
}

pub(crate) fn cuStreamUpdateCaptureDependencies(
    stream: StreamArg,
    nodes: In<CUgraphNode>,
    count: usize,
    flags: c_uint,
) -> CUres {
    cuStreamUpdateCaptureDependencies_v2(stream, nodes, In::none(), count, flags)
}

pub(crate) fn cuStreamUpdateCaptureDependencies_v2(
    stream: StreamArg,
    nodes: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    flags: c_uint,
) -> CUres {
    // CU_STREAM_ADD_CAPTURE_DEPENDENCIES or CU_STREAM_SET_CAPTURE_DEPENDENCIES
    if flags > 1 {
        return Err(CUerror::INVALID_VALUE);
    }
    const MOST: usize = 1 << 32;
    let handles = nodes.array(count, MOST)?;
    let data = match data.optional() {
        Some(_) => data.array(count, MOST)?,
        None => vec![EdgeData::default().to_cuda(); count],
    };
    let nodes = handles.into_iter().zip(data);
    let nodes: Vec<_> =
        nodes.map(|(node, data)| Ok((graph::node(node)?, data))).collect::<CUres<_>>()?;
    let context = stream.enter()?.current.context;
    capture::update_dependencies(&stream, &context, &nodes, flags == 1)
}

pub(crate) fn cuThreadExchangeStreamCaptureMode(mode: *mut Mode) -> CUres {
    // An H100 takes numbers that are no modes.
    let given = In::of(mode).get()?;
    Out::of(mode).set(capture::exchange_mode(given)?)
}
