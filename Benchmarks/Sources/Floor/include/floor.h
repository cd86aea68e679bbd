// The floor: the same work with SQLite's C interface only.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct floor_db floor_db;

/// Opens a file in WAL mode. Returns NULL if that fails.
floor_db *floor_open(const char *path);
void floor_close(floor_db *db);
/// Returns the message of the last error.
const char *floor_message(floor_db *db);
/// Runs statements. Returns 0 or an error code.
int floor_run(floor_db *db, const char *sql);

/// Inserts rows in one transaction: the first parameter is the key, counted from `first`, the second
/// and third are 1, the others are integers computed from key and column. Returns 0 or an error code.
int floor_insert(floor_db *db, const char *sql, int columns, int64_t first, int64_t rows);

/// Reads every column of every row as an integer. Returns the number of rows, or -1.
int64_t floor_read_integers(floor_db *db, const char *sql, int columns, int64_t *sum);
/// Reads rows of texts, then integers, then doubles. Returns the number of rows, or -1.
int64_t floor_read_mixed(
  floor_db *db, const char *sql, int texts, int integers, int doubles, int64_t *sum);
/// Reads a row of integers for each key, in one transaction. Returns the number of rows, or -1.
int64_t floor_read_points(
  floor_db *db, const char *sql, int columns, const int64_t *keys, int64_t count, int64_t *sum);

/// Inserts rows of a name and a number, numbered from 1, in an open transaction. Each row of the level above
/// has `each` of them; with 0 there is no level above. Returns 0 or an error code.
int floor_insert_level(
  floor_db *db, const char *sql, const char *name, int64_t entity, int64_t rows, int64_t each);
/// Reads rows whose first two columns are a key and a value, and increments each value, in one transaction.
/// Returns 0 or an error code.
int floor_modify(floor_db *db, const char *select, int columns, const char *update);

/// Drops a file from the system's page cache, as far as the system permits. Returns 0, or -1.
int floor_forget(const char *path);

/// Returns the number of bytes of the heap that are in use.
int64_t floor_bytes_in_use(void);
/// Turns the counting of allocations on or off, for all threads; and returns the count, which is 0 if the C
/// library is not glibc.
void floor_count_allocations(bool counts);
int64_t floor_allocations(void);
