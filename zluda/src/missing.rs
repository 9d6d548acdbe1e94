//! The functions that are not implemented: what they answer, and why.
//!
//! The answers are those of an H100 where the other program or the hardware is missing that a function is about.

use cuda_types::cuda::CUerror;

/// How names begin, the longer beginning first, what such functions answer, and why they are not implemented.
pub(crate) const MISSING: &[(&str, CUerror, &str)] = &[
    ("cuGLMap", CUerror::INVALID_VALUE, OPENGL),
    ("cuGLUnmap", CUerror::INVALID_VALUE, OPENGL),
    ("cuGLUnregister", CUerror::INVALID_VALUE, OPENGL),
    ("cuGLSet", CUerror::INVALID_VALUE, OPENGL),
    ("cuGL", CUerror::OPERATING_SYSTEM, OPENGL),
    ("cuGraphicsGL", CUerror::OPERATING_SYSTEM, OPENGL),
    ("cuEGL", CUerror::UNKNOWN, EGL),
    ("cuGraphicsEGL", CUerror::UNKNOWN, EGL),
    ("cuGraphicsResourceGetMappedEglFrame", CUerror::INVALID_HANDLE, EGL),
    ("cuVDPAUCtx", CUerror::OUT_OF_MEMORY, VDPAU),
    ("cuVDPAU", CUerror::INVALID_VALUE, VDPAU),
    ("cuGraphicsVDPAU", CUerror::INVALID_CONTEXT, VDPAU),
    (
        "cuGraphicsResource",
        CUerror::INVALID_HANDLE,
        "the first version, of resources that are none",
    ),
    ("cuStreamBatchMemOp", CUerror::NOT_SUPPORTED, FIRST),
    ("cuStreamWaitValue", CUerror::NOT_SUPPORTED, FIRST),
    ("cuStreamWriteValue", CUerror::NOT_SUPPORTED, FIRST),
    ("cuMemGetAttribute", CUerror::NOT_SUPPORTED, "in no header; an H100 answers so too"),
    (
        "cuMulticast",
        CUerror::NOT_SUPPORTED,
        "no switch connects devices, nor those of the H100 that was asked",
    ),
    ("cuMemBatchDecompress", CUerror::NOT_SUPPORTED, "no engine decompresses, nor on an H100"),
    ("cuExternalMemory", CUerror::NOT_SUPPORTED, "no arrays lie in imported memory"),
    ("cudbg", CUerror::NOT_SUPPORTED, "the debugger's own interface"),
];

const OPENGL: &str = "no memory is shared with OpenGL";
const EGL: &str = "no memory is shared with EGL";
const VDPAU: &str = "no memory is shared with VDPAU";
const FIRST: &str = "the first version, which NVIDIA's driver has no more either";

/// What a function answers that is not implemented.
pub(crate) fn answer(name: &str) -> CUerror {
    let row = MISSING.iter().find(|(beginning, ..)| name.starts_with(beginning));
    row.map_or(CUerror::NOT_SUPPORTED, |(_, error, _)| *error)
}
