// Runs programs that were linked as libraries, each by its function sample_main: one thread runs the first half
// of the arguments, another one the second half backwards.

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct half {
    char **libraries;
    int count;
    int backwards;
};

static void *run(void *argument) {
    struct half *half = argument;
    for (int i = 0; i < half->count; ++i) {
        char *library = half->libraries[half->backwards ? half->count - 1 - i : i];
        void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        int (*sample_main)(int, char **) = handle ? (int (*)(int, char **))dlsym(handle, "sample_main") : NULL;
        char *arguments[] = {library, NULL};
        if (!sample_main || sample_main(1, arguments) != 0) {
            printf("FAIL %s: %s\n", library, sample_main ? "its result is not 0" : dlerror());
            exit(1);
        }
        // Stays loaded, as plug-ins do.
    }
    return NULL;
}

int main(int argc, char **argv) {
    int count = (argc - 1) / 2;
    struct half first = {argv + 1, count, 0}, second = {argv + 1 + count, count, 1};
    pthread_t other;
    if (pthread_create(&other, NULL, run, &second) != 0) return 1;
    run(&first);
    pthread_join(other, NULL);
    return 0;
}
