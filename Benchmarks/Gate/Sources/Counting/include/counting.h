#pragma once
#include <stddef.h>
#include <stdint.h>

/// Callgrind resets its counters when the first function is called, and writes them when the second one returns.
void counting_starts(void);
void counting_ends(void);

/// SHA-256 in plain C: the floor of digests and version hashes. Writes 32 bytes.
void plain_sha256(const uint8_t *message, size_t count, uint8_t *digest);
