// The part of lld that has no C API: its ELF driver, run in this process.

#include "lld/Common/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <string>

LLD_HAS_DRIVER(elf)

/// Runs ld.lld. Returns 0, or 1 with a malloc'ed, NUL-terminated text of errors in `*messages`.
/// `can_run_again` becomes 0 when lld crashed and must not be called in this process any more.
extern "C" int zluda_lld_elf(const char **arguments, size_t count, char **messages, int *can_run_again) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::ArrayRef<const char *> args(arguments, count);
  lld::Result result = lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
  stream.flush();
  *can_run_again = result.canRunAgain;
  *messages = strdup(text.c_str());
  return result.retCode != 0;
}
