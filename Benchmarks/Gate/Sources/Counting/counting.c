#include "counting.h"

// Two bodies that differ, so that a linker cannot make them one function.
__attribute__((noinline)) void counting_starts(void) { __asm__ volatile("" ::"r"(1) : "memory"); }
__attribute__((noinline)) void counting_ends(void) { __asm__ volatile("" ::"r"(2) : "memory"); }
