// Ends with the number of its arguments, which it prints, a line each, between brackets.

#include <stdio.h>

int main(int count, char **arguments) {
  for (int i = 1; i < count; i++) printf("[%s]\n", arguments[i]);
  return count - 1;
}
