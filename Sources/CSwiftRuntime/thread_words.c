#define _GNU_SOURCE

#include "CSwiftRuntime.h"

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))

#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
  const char *low, *high, *base;
  ptrdiff_t *distances;
  size_t count, capacity;
} search;

static int add_library(struct dl_phdr_info *info, size_t size, void *context) {
  search *found = context;
  const char *variables = info->dlpi_tls_data;
  if (variables == NULL) return 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    if (info->dlpi_phdr[index].p_type != PT_TLS) continue;
    const char *end = variables + info->dlpi_phdr[index].p_memsz;
    // The variables of a library that was loaded later are not in this block, but at a different offset in each thread.
    if (variables < found->low || end > found->high) continue;
    const char *word = (const char *)(((uintptr_t)variables + sizeof(void *) - 1) & ~(sizeof(void *) - 1));
    for (; word + sizeof(void *) <= end; word += sizeof(void *)) {
      if (found->count < found->capacity) found->distances[found->count] = word - found->base;
      found->count++;
    }
  }
  return 0;
}

size_t thread_words(ptrdiff_t *distances, size_t capacity) {
  if (getpid() == syscall(SYS_gettid)) return 0;
  // The system allocates a thread's stack and its initial thread-local variables as one block.
  pthread_attr_t attributes;
  void *low;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  int failure = pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  if (failure != 0) return 0;
  search found = {low, (const char *)low + size, __builtin_thread_pointer(), distances, 0, capacity};
  dl_iterate_phdr(add_library, &found);
  return found.count;
}

#else

size_t thread_words(ptrdiff_t *distances, size_t capacity) { return 0; }

#endif
