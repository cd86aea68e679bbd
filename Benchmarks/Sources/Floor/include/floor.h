// The floor: the same work done with SQLite's C interface alone.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct floor_db floor_db;

/// Opens a file, in WAL mode. NULL when it cannot be opened.
floor_db *floor_open(const char *path);
void floor_close(floor_db *db);
/// What went wrong last.
const char *floor_message(floor_db *db);
/// Runs statements. 0, or an error code.
int floor_run(floor_db *db, const char *sql);

/// Inserts rows in one transaction: the first parameter is the key, counted from `first`, the second
/// and third are 1, the others are integers made of key and column. 0, or an error code.
int floor_insert(floor_db *db, const char *sql, int columns, int64_t first, int64_t rows);

/// Reads every column of every row as an integer. The number of rows, or -1.
int64_t floor_read_integers(floor_db *db, const char *sql, int columns, int64_t *sum);
/// Reads rows of texts, then integers, then doubles. The number of rows, or -1.
int64_t floor_read_mixed(
  floor_db *db, const char *sql, int texts, int integers, int doubles, int64_t *sum);
/// Reads a row of integers for each key, in one transaction. The number of rows, or -1.
int64_t floor_read_points(
  floor_db *db, const char *sql, int columns, const int64_t *keys, int64_t count, int64_t *sum);

/// Inserts rows of a name and a number, numbered from 1, each so many of them under the next row of the
/// level above; 0: there is none above. Within a transaction that is open. 0, or an error code.
int floor_insert_level(
  floor_db *db, const char *sql, const char *name, int64_t entity, int64_t rows, int64_t each);
/// Reads rows whose first two columns are a key and a value, and writes each value one higher, in one
/// transaction. 0, or an error code.
int floor_modify(floor_db *db, const char *select, int columns, const char *update);

/// Has the system forget what it keeps of a file in memory, as far as it does so. 0, or -1.
int floor_forget(const char *path);

/// How many bytes of the heap are in use.
int64_t floor_bytes_in_use(void);
/// Whether allocations are counted from now on, of all threads; and how many were. 0 where the C
/// library is not glibc.
void floor_count_allocations(bool counts);
int64_t floor_allocations(void);
