#pragma once

// Features of Swift's runtime, compiler and threads that only C can use.

#include <stddef.h>
#include <stdint.h>

// Parts of the runtime's stable interface: the retain operation of weak references, and operations that retain or
// release several times at once.
void *swift_tryRetain(void *object);
void *swift_retain_n(void *object, uint32_t count);
void swift_release_n(void *object, uint32_t count);

// Retains an object; returns NULL if it is being deallocated.
static inline void *retained_if_alive(void *object) { return swift_tryRetain(object); }

// Retain and release an object several times at the cost of once.
static inline void retain_times(void *object, uint32_t count) { swift_retain_n(object, count); }
static inline void release_times(void *object, uint32_t count) { swift_release_n(object, count); }

// The entity of the objects that the calling thread is creating, and a stock of references to its layout.
typedef struct {
  const void *entity;
  void *layout;
  uint32_t left;
} layout_stock;

extern _Thread_local layout_stock thread_layout_stock;

// Replaces the thread's stock and returns the old one.
static inline layout_stock exchange_layout_stock(layout_stock stock) {
  layout_stock old = thread_layout_stock;
  thread_layout_stock = stock;
  return old;
}

// Returns a reference to the layout of an entity from the thread's stock; NULL if there is none.
static inline void *take_layout(const void *entity) {
  layout_stock *stock = &thread_layout_stock;
  if (stock->entity != entity || stock->left == 0) return NULL;
  stock->left--;
  return stock->layout;
}

// The state of releases on the calling thread: whether an object is being deallocated further up the stack, and the
// objects whose release has been deferred since then.
typedef struct {
  uint8_t is_releasing;
  void *pile;
} ending_objects;

extern _Thread_local ending_objects thread_ending_objects;

// Returns the calling thread's state; valid only on that thread.
static inline ending_objects *ending_objects_of_thread(void) { return &thread_ending_objects; }

// Starts loading data that will be needed soon, without waiting for it.
static inline void prefetch(const void *address) { __builtin_prefetch(address, 1); }

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

// Returns the word at an offset from the calling thread's thread pointer.
static inline uintptr_t thread_word(ptrdiff_t distance) {
  return *(const uintptr_t *)((const char *)__builtin_thread_pointer() + distance);
}

#else

static inline uintptr_t thread_word(ptrdiff_t distance) { return 0; }

#endif

// Finds the words of the calling thread's variables that have the same offsets in every thread: those
// of the libraries that were loaded when the program started.
//
// Returns their number, and stores as many offsets as `distances` has room for. Returns 0 on the main
// thread, where the end of the variables is unknown, and if the system does not provide the information.
size_t thread_words(ptrdiff_t *distances, size_t capacity);

// Receives the names of a class and its module, which remain valid as long as the program runs.
typedef void (*class_name_body)(const char *module, const char *name, void *context);

// Calls `body` for every class of the program that is neither nested in a type, nor generic, nor private. Makes no
// calls if the system does not provide the information.
void each_class_name(class_name_body body, void *context);
