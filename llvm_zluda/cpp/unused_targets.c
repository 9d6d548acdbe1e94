// lld initialises every target that LLVM knows. Those that a static build leaves out get empty
// initialisers here, so that the linker has nothing to miss.

#define UNUSED(target)                                   \
  void LLVMInitialize##target##TargetInfo(void) {}       \
  void LLVMInitialize##target##Target(void) {}           \
  void LLVMInitialize##target##TargetMC(void) {}         \
  void LLVMInitialize##target##AsmPrinter(void) {}       \
  void LLVMInitialize##target##AsmParser(void) {}

UNUSED(AArch64)
UNUSED(ARM)
UNUSED(AVR)
UNUSED(BPF)
UNUSED(Hexagon)
UNUSED(Lanai)
UNUSED(LoongArch)
UNUSED(M68k)
UNUSED(Mips)
UNUSED(MSP430)
UNUSED(NVPTX)
UNUSED(PowerPC)
UNUSED(RISCV)
UNUSED(Sparc)
UNUSED(SPIRV)
UNUSED(SystemZ)
UNUSED(VE)
UNUSED(WebAssembly)
UNUSED(XCore)
UNUSED(Xtensa)
