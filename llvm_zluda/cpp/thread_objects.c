// Objects of threads under mingw. Its C++ library destroys them when a thread ends, after the thread's memory, in which
// they lie, has been given back: what they are by then is somebody else's. Here they are destroyed when somebody says so,
// or never.

#include <stdlib.h>

struct object {
  void (*destructor)(void *);
  void *object;
  struct object *next;
};

static __thread struct object *objects;

/// What compilers call for each object of a thread.
int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *library) {
  struct object *made = malloc(sizeof *made);
  (void)library;
  if (!made) return -1;
  *made = (struct object){destructor, object, objects};
  objects = made;
  return 0;
}

/// Destroys the calling thread's objects, the last one first. The thread uses none of them any more.
void zluda_destroy_objects_of_thread(void) {
  while (objects) {
    struct object *last = objects;
    objects = last->next;
    last->destructor(last->object);
    free(last);
  }
}
