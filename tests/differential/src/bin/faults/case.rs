//! A case: the body of a kernel, and how it is launched.

/// One kernel that may fault.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    /// Declarations before the kernel.
    pub module: &'static str,
    pub body: String,
    /// The kernel's second parameter, `%o` in the body, `%w` its lower half: addresses that no assembler knows.
    pub offset: u64,
    pub threads: u32,
    pub shared: u32,
}

impl Case {
    /// A case of one thread, without dynamic shared memory.
    pub fn new(name: impl Into<String>, offset: u64, body: impl Into<String>) -> Self {
        let body = body.into();
        Self { name: name.into(), module: "", body, offset, threads: 1, shared: 0 }
    }

    /// The case with this many threads, in one block.
    pub fn threads(self, threads: u32) -> Self {
        Self { threads, ..self }
    }

    /// The case with this many bytes of dynamic shared memory.
    pub fn shared(self, shared: u32) -> Self {
        Self { shared, ..self }
    }

    /// The case with these declarations in its module.
    pub fn module(self, module: &'static str) -> Self {
        Self { module, ..self }
    }

    /// The module: a variable in each space, registers of each kind, `%out` as the place for results.
    pub fn ptx(&self) -> String {
        format!(
            ".version 8.8
.target sm_90
.address_size 64
.global .align 1024 .b8 area[4096];
.const .align 1024 .b8 bank[256];
.extern .shared .align 16 .b8 dynamic[];
{}
.visible .entry fault(.param .u64 out, .param .u64 offset, .param .align 16 .b8 block[64])
{{
    .shared .align 1024 .b8 tile[1024];
    .local .align 16 .b8 own[256];
    .reg .pred %p<4>;
    .reg .b16 %h<8>;
    .reg .b32 %r<16>, %w, %lane, %s;
    .reg .b64 %d<16>, %o, %out, %a;
    .reg .b128 %q<2>;
    ld.param.b64 %out, [out];
    ld.param.b64 %o, [offset];
    cvt.u32.u64 %w, %o;
    mov.b32 %lane, %laneid;
    mov.b16 %h0, 1; mov.b16 %h1, 2; mov.b16 %h2, 3; mov.b16 %h3, 4;
    mov.b32 %r0, 5; mov.b32 %r1, 6; mov.b32 %r2, 7; mov.b32 %r3, 8;
    mov.b64 %d0, 9; mov.b64 %d1, 10;
    mov.b128 %q0, {{%d0, %d1}};
{}
    st.global.b32 [%out], %r0;
    ret;
}}
\0",
            self.module, self.body
        )
    }
}
