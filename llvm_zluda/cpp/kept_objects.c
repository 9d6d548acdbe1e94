// Static objects of LLVM and of the C++ library are never destroyed: while a process exits, another thread may still compile.
// The library that they are part of is not unloaded before.

__attribute__((visibility("hidden"))) int __cxa_atexit(void (*destructor)(void *), void *object, void *library) {
  (void)destructor;
  (void)object;
  (void)library;
  return 0;
}
