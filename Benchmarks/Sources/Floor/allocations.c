#include "floor.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

// A program that defines `malloc` replaces it for the C library, Swift's runtime and SQLite too. These functions
// count the call and forward it to the C library, so that the C library's `free` works as usual.

static atomic_bool is_counting;
static atomic_llong allocations;

void floor_count_allocations(bool counts) { is_counting = counts; }

int64_t floor_allocations(void) { return allocations; }

#ifdef __GLIBC__

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static inline void count(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count();
  void *made = __libc_memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  *memory = made;
  return 0;
}

#endif
