#include <stdbool.h>

#include "CSwiftRuntime.h"

// The runtime's layout of an image's metadata sections, as far as it is needed here. It is part of the stable ABI.
struct range {
  uintptr_t start;
  size_t length;
};
struct sections {
  uintptr_t version;
  uintptr_t base;
  void *unused[2];
  struct range protocols, conformances, types;
};

// The common header of context descriptors: kind, parent and name. Offsets are relative to their own fields.
struct context {
  uint32_t flags;
  int32_t parent;
  int32_t name;
};

enum { kind_mask = 0x1f, kind_module = 0, kind_class = 16, is_generic = 0x80 };

#if defined(__linux__)

extern void swift_enumerateAllMetadataSections(
    bool (*body)(const struct sections *sections, void *context), void *context)
    __attribute__((weak));

static const void *at(const int32_t *place, int32_t distance) {
  return (const char *)place + distance;
}

struct listener {
  class_name_body body;
  void *context;
};

static bool each_section(const struct sections *sections, void *context) {
  const struct listener *listener = context;
  const int32_t *record = (const int32_t *)sections->types.start;
  const int32_t *end = (const int32_t *)(sections->types.start + sections->types.length);
  for (; record < end; record++) {
    const void *place = at(record, *record & ~3);
    const struct context *type = (*record & 3) == 1 ? *(const void *const *)place : place;
    if ((*record & 3) > 1 || type == NULL) continue;
    if ((type->flags & kind_mask) != kind_class || (type->flags & is_generic) != 0) continue;
    if (type->parent == 0) continue;
    place = at(&type->parent, type->parent & ~1);
    const struct context *parent = (type->parent & 1) ? *(const void *const *)place : place;
    if (parent == NULL || (parent->flags & kind_mask) != kind_module) continue;
    listener->body(at(&parent->name, parent->name), at(&type->name, type->name), listener->context);
  }
  return true;
}

void each_class_name(class_name_body body, void *context) {
  struct listener listener = {body, context};
  if (swift_enumerateAllMetadataSections) swift_enumerateAllMetadataSections(each_section, &listener);
}

#else

void each_class_name(class_name_body body, void *context) {}

#endif
