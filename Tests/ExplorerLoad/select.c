/* The lower bound for a page while scrolling: reads the columns of a hundred people by their keys.
   select STORE: each line of the input is the first of a hundred keys. Prints the nanoseconds that reading those rows
   took. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  const char *sql =
      "SELECT Z_PK, Z_OPT, ZAGE, ZDISPLAYORDER, ZFIRSTNAME, ZLASTNAME FROM ZPERSON WHERE Z_PK IN "
      "(SELECT value FROM json_each(?))";
  unsigned long sum = 0;
  if (count != 2 || sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READONLY, NULL)) return 1;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return 1;
  long start;
  while (scanf("%ld", &start) == 1) {
    char keys[4096] = "[";
    int length = 1;
    for (int key = 0; key < 100; key++)
      length += snprintf(keys + length, sizeof keys - length, key ? ",%ld" : "%ld", start + key);
    snprintf(keys + length, sizeof keys - length, "]");
    long long begin = now();
    sqlite3_bind_text(statement, 1, keys, -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW)
      for (int column = 0; column < 6; column++) {
        const unsigned char *text = sqlite3_column_text(statement, column);
        if (text) sum += text[0];
      }
    sqlite3_reset(statement);
    printf("%lld\n", now() - begin);
    fflush(stdout);
  }
  return sum == 0;
}
