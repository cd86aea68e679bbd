#pragma once

// What Swift's runtime, its compiler and the threads it runs on offer to C and not to Swift.

#include <stddef.h>
#include <stdint.h>

// Parts of the runtime's stable interface: what weak references are read with, and what counts several
// references at once.
void *swift_tryRetain(void *object);
void *swift_retain_n(void *object, uint32_t count);
void swift_release_n(void *object, uint32_t count);

// Retains an object unless its last reference is gone; NULL then.
static inline void *retained_if_alive(void *object) { return swift_tryRetain(object); }

// Retain and release an object so many times, which takes no longer than once.
static inline void retain_times(void *object, uint32_t count) { swift_retain_n(object, count); }
static inline void release_times(void *object, uint32_t count) { swift_release_n(object, count); }

// What the calling thread is making objects of: an entity, and references to its layout for so many of them.
typedef struct {
  const void *entity;
  void *layout;
  uint32_t left;
} layout_stock;

extern _Thread_local layout_stock thread_layout_stock;

// Puts another stock in the place of the thread's, which is given back.
static inline layout_stock exchange_layout_stock(layout_stock stock) {
  layout_stock old = thread_layout_stock;
  thread_layout_stock = stock;
  return old;
}

// A reference to the layout of an entity; NULL where the thread has none at hand.
static inline void *take_layout(const void *entity) {
  layout_stock *stock = &thread_layout_stock;
  if (stock->entity != entity || stock->left == 0) return NULL;
  stock->left--;
  return stock->layout;
}

// What the calling thread is releasing: whether an object's end is under way further up its stack, and what
// objects that ended since then have left to be released.
typedef struct {
  uint8_t is_releasing;
  void *pile;
} ending_objects;

extern _Thread_local ending_objects thread_ending_objects;

// The calling thread's own; valid on that thread alone.
static inline ending_objects *ending_objects_of_thread(void) { return &thread_ending_objects; }

// Begins to read what will be needed soon, and does not wait for it.
static inline void prefetch(const void *address) { __builtin_prefetch(address, 1); }

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

// The word at a distance from where the calling thread's variables are kept.
static inline uintptr_t thread_word(ptrdiff_t distance) {
  return *(const uintptr_t *)((const char *)__builtin_thread_pointer() + distance);
}

#else

static inline uintptr_t thread_word(ptrdiff_t distance) { return 0; }

#endif

// Finds the words of the calling thread's variables that every thread has at the same distances: those
// of the libraries that were there when the program began.
//
// Gives how many there are, and the distances of as many as `distances` has room for. Not for the first
// thread, of which it is not known where its variables end; 0 there, and where the system does not tell.
size_t thread_words(ptrdiff_t *distances, size_t capacity);

// Told the names of the module and of a class in it, which live as long as the program.
typedef void (*class_name_body)(const char *module, const char *name, void *context);

// Tells all classes of the program that stand in no other type and are not generic; of private ones nothing, and
// nothing at all where the system does not tell.
void each_class_name(class_name_body body, void *context);
