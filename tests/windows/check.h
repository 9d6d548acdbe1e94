// Counts in `wrong` what does not give what it has to, and says so.

#include <stdio.h>

#define IS(wanted, call)                                                \
  do {                                                                  \
    int found = (call);                                                 \
    if (found != (wanted)) {                                            \
      printf("line %d: %s is %d\n", __LINE__, #call, found);            \
      wrong++;                                                          \
    }                                                                   \
  } while (0)
