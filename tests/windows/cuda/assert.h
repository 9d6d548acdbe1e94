// `assert` as glibc has it, which is what nvcc knows in kernels. May be included again.

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

#ifdef __CUDACC__
extern "C" __attribute__((host)) __attribute__((device)) __attribute__((device_builtin)) __attribute__((cudart_builtin)) void
__assert_fail(const char *condition, const char *file, unsigned line, const char *function);
#else
extern "C" void __assert_fail(const char *condition, const char *file, unsigned line, const char *function);
#endif
