// bench: flags = -ffast-math
// Without it the C library has no logarithms and exponentials of vectors.
#define NAME "black_scholes"
#include "options_native.h"
