# How LLVM and lld are built for Windows by mingw: only what llvm_zluda links. For `cmake -C`; the paths of the compiler
# and of the native llvm-tblgen come beside it.
set(CMAKE_SYSTEM_NAME Windows CACHE STRING "")
set(CMAKE_SYSTEM_PROCESSOR x86_64 CACHE STRING "")
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
# As Debian's own build; -O3 makes it larger and no quicker. One section a function, so that the link drops what is unused.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "")
# For WaitOnAddress and what else Windows 8 has; what the machine that builds has must not be found.
set(CMAKE_C_FLAGS "-D_WIN32_WINNT=0x0A00" CACHE STRING "")
set(CMAKE_CXX_FLAGS "-D_WIN32_WINNT=0x0A00" CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH "/usr/x86_64-w64-mingw32" CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY CACHE STRING "")

set(LLVM_ENABLE_PROJECTS "lld" CACHE STRING "")
set(LLVM_TARGETS_TO_BUILD "X86;AMDGPU" CACHE STRING "")
set(LLVM_HOST_TRIPLE "x86_64-w64-windows-gnu" CACHE STRING "")
set(LLVM_DEFAULT_TARGET_TRIPLE "x86_64-w64-windows-gnu" CACHE STRING "")

foreach(part TESTS BENCHMARKS EXAMPLES DOCS RUNTIMES UTILS)
  set(LLVM_INCLUDE_${part} OFF CACHE BOOL "")
endforeach()
set(LLVM_APPEND_VC_REV OFF CACHE BOOL "")
set(LLVM_BUILD_TOOLS OFF CACHE BOOL "")
set(LLD_BUILD_TOOLS OFF CACHE BOOL "")

foreach(library ZLIB ZSTD LIBXML2 LIBEDIT LIBPFM FFI CURL HTTPLIB Z3_SOLVER)
  set(LLVM_ENABLE_${library} OFF CACHE STRING "")
endforeach()
foreach(part BACKTRACES BINDINGS PLUGINS TERMINFO RTTI EH ASSERTIONS UNWIND_TABLES)
  set(LLVM_ENABLE_${part} OFF CACHE BOOL "")
endforeach()
# Several threads compile at once.
set(LLVM_ENABLE_THREADS ON CACHE BOOL "")
set(BUILD_SHARED_LIBS OFF CACHE BOOL "")
