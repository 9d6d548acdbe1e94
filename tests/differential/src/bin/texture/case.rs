//! A case: a resource, how it is sampled, an instruction, and the operands of its threads.

use cuda_types::cuda::{CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUaddress_mode, CUfilter_mode};

use crate::resource::Resource;

/// Words that a thread reads: `%f0` to `%f11`, which are `%r0` to `%r11` as integers.
pub const INPUTS: usize = 12;
/// Words that a thread writes: `%o0` to `%o7`, of which an instruction may write some.
pub const OUTPUTS: usize = 5;

/// The way in which the kernel gets at the resource.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Object {
    Texture,
    Surface,
    /// The variable `image`, a `.texref`.
    TextureReference,
    /// The variable `target`, a `.surfref`.
    SurfaceReference,
}

pub struct Case {
    pub family: &'static str,
    pub name: String,
    pub resource: Resource,
    pub sampler: CUDA_TEXTURE_DESC,
    /// The part of the resource that the texture shows, where it is not all of it.
    pub view: Option<CUDA_RESOURCE_VIEW_DESC>,
    pub object: Object,
    /// The array belongs to the outputs.
    pub reads_back: bool,
    /// The kernel may fail, which is an answer then; it runs in a process of its own.
    pub alone: bool,
    pub instruction: String,
    pub operands: Vec<[u32; INPUTS]>,
}

/// Wrap, clamp, mirror and border, as CUDA numbers them.
pub const ADDRESS_MODES: [(&str, u32); 4] =
    [("wrap", 0), ("clamp", 1), ("mirror", 2), ("border", 3)];

/// A texture description.
pub fn sampler(address: u32, linear: bool, flags: u32) -> CUDA_TEXTURE_DESC {
    // SAFETY: all zeros is a description of a texture.
    let mut sampler: CUDA_TEXTURE_DESC = unsafe { std::mem::zeroed() };
    sampler.addressMode = [CUaddress_mode(address); 3];
    sampler.filterMode = CUfilter_mode(linear.into());
    sampler.flags = flags;
    sampler.borderColor = [0.25, -2.0, 3.5, 0.75];
    sampler
}

impl Case {
    /// A kernel that gives each thread its operands and keeps what the instruction writes.
    pub fn ptx(&self) -> String {
        let mut text = String::from(".version 8.5\n.target sm_75\n.address_size 64\n");
        match self.object {
            Object::Texture | Object::Surface => {}
            Object::TextureReference => text += ".visible .global .texref image;\n",
            Object::SurfaceReference => text += ".visible .global .surfref target;\n",
        }
        text += ".visible .entry form(.param .u64 inputs, .param .u64 outputs, .param .u64 object, .param .u32 threads)\n{\n\
             .reg .pred %p<4>; .reg .b64 %rd<8>; .reg .b32 %t<8>; .reg .f32 %f<12>; .reg .b32 %r<12>;\n\
             .reg .b32 %o<5>; .reg .b64 %d<4>; .reg .b16 %h<4>;\n\
             mov.u32 %t0, %ctaid.x; mov.u32 %t1, %tid.x; mad.lo.u32 %t2, %t0, 64, %t1;\n\
             ld.param.u32 %t3, [threads]; setp.ge.u32 %p1, %t2, %t3; @%p1 bra done;\n\
             ld.param.u64 %rd1, [inputs]; ld.param.u64 %rd2, [outputs]; ld.param.u64 %rd3, [object];\n\
             mad.wide.u32 %rd1, %t2, 48, %rd1; mad.wide.u32 %rd2, %t2, 20, %rd2;\n";
        for word in 0..INPUTS {
            let at = 4 * word;
            text += &format!("ld.global.b32 %r{word}, [%rd1+{at}]; mov.b32 %f{word}, %r{word};\n");
        }
        for word in 0..OUTPUTS {
            text += &format!("mov.b32 %o{word}, 0;\n");
        }
        text += "mov.b64 %d0, {%r4, %r5}; mov.b64 %d1, {%r6, %r7};\n";
        text += &self.instruction;
        text += "\n";
        for word in 0..OUTPUTS {
            text += &format!("st.global.b32 [%rd2+{}], %o{word};\n", 4 * word);
        }
        text + "done: ret;\n}\n"
    }
}
