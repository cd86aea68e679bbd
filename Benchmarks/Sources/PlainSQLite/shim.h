// The system's SQLite, imported into Swift.
#pragma once
#include <sqlite3.h>
