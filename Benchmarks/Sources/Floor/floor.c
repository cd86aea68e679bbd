#include "floor.h"

#include <fcntl.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct floor_db {
  sqlite3 *handle;
};

floor_db *floor_open(const char *path) {
  floor_db *db = calloc(1, sizeof(floor_db));
  if (db == NULL) return NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK
      || floor_run(db, "PRAGMA journal_mode = WAL") != SQLITE_OK) {
    floor_close(db);
    return NULL;
  }
  return db;
}

void floor_close(floor_db *db) {
  if (db == NULL) return;
  sqlite3_close_v2(db->handle);
  free(db);
}

const char *floor_message(floor_db *db) { return sqlite3_errmsg(db->handle); }

int floor_run(floor_db *db, const char *sql) {
  return sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
}

int floor_insert(floor_db *db, const char *sql, int columns, int64_t first, int64_t rows) {
  int code = floor_run(db, "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *statement = NULL;
  code = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
  for (int64_t key = first; code == SQLITE_OK && key < first + rows; key++) {
    sqlite3_bind_int64(statement, 1, key);
    sqlite3_bind_int64(statement, 2, 1);
    sqlite3_bind_int64(statement, 3, 1);
    for (int column = 0; column < columns; column++) {
      sqlite3_bind_int64(statement, column + 4, key * 31 + column);
    }
    sqlite3_step(statement);
    code = sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  return code == SQLITE_OK ? floor_run(db, "COMMIT") : code;
}

int64_t floor_read_integers(floor_db *db, const char *sql, int columns, int64_t *sum) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK) return -1;
  int64_t rows = 0, total = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int column = 0; column < columns; column++) {
      total += sqlite3_column_int64(statement, column);
    }
    rows++;
  }
  *sum = total;
  return sqlite3_finalize(statement) == SQLITE_OK ? rows : -1;
}

int64_t floor_read_mixed(
  floor_db *db, const char *sql, int texts, int integers, int doubles, int64_t *sum) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK) return -1;
  int64_t rows = 0, total = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    int column = 0;
    for (; column < texts; column++) {
      const unsigned char *text = sqlite3_column_text(statement, column);
      total += sqlite3_column_bytes(statement, column) + (text == NULL ? 0 : text[0]);
    }
    for (; column < texts + integers; column++) total += sqlite3_column_int64(statement, column);
    for (; column < texts + integers + doubles; column++) {
      total += (int64_t)sqlite3_column_double(statement, column);
    }
    rows++;
  }
  *sum = total;
  return sqlite3_finalize(statement) == SQLITE_OK ? rows : -1;
}

int64_t floor_read_points(
  floor_db *db, const char *sql, int columns, const int64_t *keys, int64_t count, int64_t *sum) {
  if (floor_run(db, "BEGIN") != SQLITE_OK) return -1;
  sqlite3_stmt *statement = NULL;
  int64_t rows = 0, total = 0;
  int code = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
  for (int64_t index = 0; code == SQLITE_OK && index < count; index++) {
    sqlite3_bind_int64(statement, 1, keys[index]);
    if (sqlite3_step(statement) == SQLITE_ROW) {
      for (int column = 0; column < columns; column++) {
        total += sqlite3_column_int64(statement, column);
      }
      rows++;
    }
    code = sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  *sum = total;
  return floor_run(db, "COMMIT") == SQLITE_OK && code == SQLITE_OK ? rows : -1;
}

int64_t floor_bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}

int floor_insert_level(
  floor_db *db, const char *sql, const char *name, int64_t entity, int64_t rows, int64_t each) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
  for (int64_t key = 1; code == SQLITE_OK && key <= rows; key++) {
    char text[64];
    int length = snprintf(text, sizeof text, "%s %lld", name, (long long)key);
    sqlite3_bind_int64(statement, 1, key);
    sqlite3_bind_int64(statement, 2, entity);
    sqlite3_bind_int64(statement, 3, 1);
    sqlite3_bind_text(statement, 4, text, length, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 5, key);
    if (each > 0) sqlite3_bind_int64(statement, 6, (key - 1) / each + 1);
    sqlite3_step(statement);
    code = sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  return code;
}

int floor_modify(floor_db *db, const char *select, int columns, const char *update) {
  int code = floor_run(db, "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *reading = NULL, *writing = NULL;
  code = sqlite3_prepare_v2(db->handle, select, -1, &reading, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db->handle, update, -1, &writing, NULL);
  // Reads all rows before writing any, because the query must not see rows that the update changed.
  int64_t count = 0, room = 1024, *values = malloc(room * 2 * sizeof(int64_t));
  while (code == SQLITE_OK && sqlite3_step(reading) == SQLITE_ROW) {
    if (count == room) values = realloc(values, (room *= 2) * 2 * sizeof(int64_t));
    int64_t rest = 0;
    for (int column = 2; column < columns; column++) rest += sqlite3_column_int64(reading, column);
    values[count * 2] = sqlite3_column_int64(reading, 0) + (rest == INT64_MIN);
    values[count * 2 + 1] = sqlite3_column_int64(reading, 1);
    count++;
  }
  for (int64_t row = 0; code == SQLITE_OK && row < count; row++) {
    sqlite3_bind_int64(writing, 1, values[row * 2 + 1] + 1);
    sqlite3_bind_int64(writing, 2, values[row * 2]);
    sqlite3_step(writing);
    code = sqlite3_reset(writing);
  }
  free(values);
  sqlite3_finalize(reading);
  sqlite3_finalize(writing);
  return code == SQLITE_OK ? floor_run(db, "COMMIT") : code;
}

int floor_forget(const char *path) {
  int file = open(path, O_RDONLY);
  if (file < 0) return -1;
  // The system keeps pages that are not written yet.
  int code = fsync(file) == 0 ? posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) : -1;
  close(file);
  return code;
}
