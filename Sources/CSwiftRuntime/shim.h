#pragma once

// What Swift's runtime offers to C and not to Swift.

// Part of the runtime's stable interface: what weak references are read with.
void *swift_tryRetain(void *object);

// Retains an object unless its last reference is gone; NULL then.
static inline void *retained_if_alive(void *object) { return swift_tryRetain(object); }
