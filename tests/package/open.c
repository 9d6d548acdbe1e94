// Opens the libraries that its arguments name, each with all that it needs.

#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **names) {
  int missing = 0;
  for (int i = 1; i < count; i++) {
    if (!dlopen(names[i], RTLD_NOW)) {
      printf("%s\n", dlerror());
      missing++;
    }
  }
  printf("%d missing\n", missing);
  return missing != 0;
}
