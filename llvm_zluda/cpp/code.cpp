// What LLVM's C API lacks: options that last, code generation without some of the passes that LLVM adds for every
// program (its command line options would hold for all targets of the process), vectors of one constant, functions that
// lose their bodies, and blocks that become functions.

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

#include <cstddef>
#include <utility>

/// A pass of LLVM's code generator that is not run: the first time that LLVM would, or never.
struct LeftOut {
  const char *name;
  bool first_only;
};

namespace {

class SelectivePasses : public llvm::legacy::PassManager {
  const LeftOut *left_out;
  size_t count;
  llvm::StringSet<> seen;

public:
  SelectivePasses(const LeftOut *left_out, size_t count) : left_out(left_out), count(count) {}

  void add(llvm::Pass *pass) override {
    llvm::StringRef name = pass->getPassName();
    for (size_t index = 0; index < count; index++) {
      if (name == left_out[index].name && (!left_out[index].first_only || seen.insert(name).second)) {
        delete pass;
        return;
      }
    }
    llvm::legacy::PassManager::add(pass);
  }
};

/// Notes what passes there would be.
class PassNames : public llvm::legacy::PassManager {
public:
  std::string names;

  void add(llvm::Pass *pass) override {
    names += pass->getPassName();
    names += '\n';
    llvm::legacy::PassManager::add(pass);
  }
};

} // namespace

/// Gives one of LLVM's command line options a value that lasts: LLVM forgets the option, since lld resets all that are
/// known whenever it begins, while other threads generate code. Returns 0, or 1 where there is no such option or value.
extern "C" int zluda_set_option(const char *name, const char *value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found == options.end())
    return 1;
  llvm::cl::Option *option = found->second;
  bool failed = option->addOccurrence(0, name, value);
  option->removeArgument();
  return failed;
}

/// LLVMTargetMachineEmitToMemoryBuffer without the given passes, and for processors with a section of the sizes of
/// stack frames (`.stack_sizes`). Null where the target makes no such file; the result is LLVM's buffer otherwise.
extern "C" LLVMMemoryBufferRef zluda_emit(LLVMTargetMachineRef machine_ref, LLVMModuleRef module_ref, int assembly,
                                          const LeftOut *left_out, size_t count) {
  auto *machine = reinterpret_cast<llvm::TargetMachine *>(machine_ref);
  llvm::Module *module = llvm::unwrap(module_ref);
  module->setDataLayout(machine->createDataLayout());
  machine->Options.EmitStackSizeSection = machine->getTargetTriple().isX86();
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  SelectivePasses passes(left_out, count);
  auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, kind))
    return nullptr;
  passes.run(*module);
  return LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.data(), bytes.size(), "");
}

/// The names of all passes that make an object file, a line each. Null where the target makes no such file.
extern "C" LLVMMemoryBufferRef zluda_pass_names(LLVMTargetMachineRef machine_ref) {
  auto *machine = reinterpret_cast<llvm::TargetMachine *>(machine_ref);
  llvm::raw_null_ostream stream;
  PassNames passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return nullptr;
  return LLVMCreateMemoryBufferWithMemoryRangeCopy(passes.names.data(), passes.names.size(), "");
}

/// Makes a declaration of a function, whether its body has been read or not.
extern "C" void zluda_delete_body(LLVMValueRef function) {
  llvm::unwrap<llvm::Function>(function)->deleteBody();
}

/// A constant vector with the element in every lane.
extern "C" LLVMValueRef zluda_splat(LLVMValueRef element, unsigned lanes) {
  auto count = llvm::ElementCount::getFixed(lanes);
  return llvm::wrap(llvm::ConstantVector::getSplat(count, llvm::unwrap<llvm::Constant>(element)));
}

/// The element that a constant vector has in every lane, or null.
extern "C" LLVMValueRef zluda_repeated_element(LLVMValueRef vector) {
  return llvm::wrap(llvm::unwrap<llvm::Constant>(vector)->getSplatValue());
}

/// Reads the bodies of all functions of a module that have not been read. Returns 0, or 1 with a text of LLVM's.
extern "C" int zluda_read_bodies(LLVMModuleRef module, char **message) {
  llvm::Error error = llvm::unwrap(module)->materializeAll();
  if (!error)
    return 0;
  *message = LLVMCreateMessage(llvm::toString(std::move(error)).c_str());
  return 1;
}

/// What LLVM knows of a function whose parts become functions. It looks at the whole function for that, so parts of one
/// function share it.
extern "C" llvm::CodeExtractorAnalysisCache *zluda_extraction(LLVMValueRef function) {
  return new llvm::CodeExtractorAnalysisCache(*llvm::unwrap<llvm::Function>(function));
}

extern "C" void zluda_end_extraction(llvm::CodeExtractorAnalysisCache *cache) { delete cache; }

/// Makes a function of blocks of which the first one is the only way in, and calls it where they were. It takes a pointer
/// to a structure of what it needs and what it computes. Null where LLVM cannot do that.
extern "C" LLVMValueRef zluda_extract(llvm::CodeExtractorAnalysisCache *cache,
                                      const LLVMBasicBlockRef *blocks, size_t count) {
  llvm::SmallVector<llvm::BasicBlock *> region;
  for (size_t index = 0; index < count; index++)
    region.push_back(llvm::unwrap(blocks[index]));
  llvm::CodeExtractor extractor(region, /*DT=*/nullptr, /*AggregateArgs=*/true);
  if (!extractor.isEligible())
    return nullptr;
  return llvm::wrap(extractor.extractCodeRegion(*cache));
}
