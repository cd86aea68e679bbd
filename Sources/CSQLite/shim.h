// Imports the system's SQLite into Swift.
#pragma once
#include <sqlite3.h>

// The destructor constants of sqlite3.h are casts, which Swift cannot import.
static inline sqlite3_destructor_type sqlite3_transient_destructor(void) {
  return SQLITE_TRANSIENT;
}

// `sqlite3_db_config` is variadic, which Swift cannot import; this is the form for boolean options.
static inline int sqlite3_db_config_flag(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}
