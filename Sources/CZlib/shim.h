// Imports the system's zlib into Swift.
#pragma once
#include <zlib.h>

// `inflateInit2` and `deflateInit2` are macros, which Swift cannot import. Negative window bits select raw DEFLATE.
static inline int zlib_inflate_init_raw(z_stream *stream) { return inflateInit2(stream, -15); }
static inline int zlib_deflate_init_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
