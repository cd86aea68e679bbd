#include "FaultVFS.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int armed_kind;
static atomic_int is_armed_sticky;
static atomic_llong wanted;
static atomic_llong seen;
static atomic_llong fired;

void fault_arm(int kind, long long k, int is_sticky) {
  atomic_store(&armed_kind, FaultKindNone);
  atomic_store(&wanted, k);
  atomic_store(&is_armed_sticky, is_sticky);
  atomic_store(&seen, 0);
  atomic_store(&fired, 0);
  atomic_store(&armed_kind, kind);
}

void fault_disarm(void) { atomic_store(&armed_kind, FaultKindNone); }
long long fault_count(void) { return atomic_load(&seen); }
long long fault_fired(void) { return atomic_load(&fired); }

// Returns whether an operation of a kind must fail now.
static int fails(int kind) {
  if (atomic_load(&armed_kind) != kind) return 0;
  long long number = atomic_fetch_add(&seen, 1) + 1;
  long long k = atomic_load(&wanted);
  int is_hit = number == k || (number > k && atomic_load(&is_armed_sticky));
  if (is_hit) atomic_fetch_add(&fired, 1);
  return is_hit;
}

int fault_happens(int kind) { return fails(kind); }

// MARK: Files

// The system's file object follows in the same memory block.
typedef struct {
  sqlite3_file base;
  sqlite3_file *real;
} FaultFile;

static sqlite3_vfs *real_vfs;

static sqlite3_file *real(sqlite3_file *file) { return ((FaultFile *)file)->real; }

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  if (fails(FaultKindRead)) return SQLITE_IOERR_READ;
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (fails(FaultKindWrite)) {
    // A failing disk may have written a part.
    real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
    return SQLITE_IOERR_WRITE;
  }
  if (fails(FaultKindFull)) return SQLITE_FULL;
  return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (fails(FaultKindTruncate)) return SQLITE_IOERR_TRUNCATE;
  return real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
  if (fails(FaultKindSync)) return SQLITE_IOERR_FSYNC;
  return real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  if (fails(FaultKindSize)) return SQLITE_IOERR_FSTAT;
  return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
  if (fails(FaultKindLock)) return SQLITE_IOERR_LOCK;
  if (fails(FaultKindBusy)) return SQLITE_BUSY;
  return real(file)->pMethods->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int file_check_reserved(sqlite3_file *file, int *result) {
  return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
  return real(file)->pMethods->xSectorSize(real(file));
}

static int file_characteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_shm_map(
    sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  if (fails(FaultKindSharedMap)) return SQLITE_IOERR_SHMMAP;
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  // Releasing a lock does not fail.
  if (flags & SQLITE_SHM_LOCK) {
    if (fails(FaultKindSharedLock)) return SQLITE_IOERR_SHMLOCK;
    if (fails(FaultKindSharedBusy)) return SQLITE_BUSY;
  }
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_shm_unmap(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
  return real(file)->pMethods->xFetch(real(file), offset, count, memory);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
  return real(file)->pMethods->xUnfetch(real(file), offset, memory);
}

static const sqlite3_io_methods file_methods = {
    3,
    file_close,
    file_read,
    file_write,
    file_truncate,
    file_sync,
    file_size,
    file_lock,
    file_unlock,
    file_check_reserved,
    file_control,
    file_sector_size,
    file_characteristics,
    file_shm_map,
    file_shm_lock,
    file_shm_barrier,
    file_shm_unmap,
    file_fetch,
    file_unfetch,
};

// MARK: The file system

static int vfs_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *result) {
  FaultFile *opened = (FaultFile *)file;
  opened->base.pMethods = 0;
  opened->real = (sqlite3_file *)(opened + 1);
  if (fails(FaultKindOpen)) return SQLITE_CANTOPEN;
  int code = real_vfs->xOpen(real_vfs, name, opened->real, flags, result);
  if (opened->real->pMethods) opened->base.pMethods = &file_methods;
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
  if (fails(FaultKindDelete)) return SQLITE_IOERR_DELETE;
  return real_vfs->xDelete(real_vfs, name, syncs);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return real_vfs->xAccess(real_vfs, name, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
  return real_vfs->xFullPathname(real_vfs, name, size, path);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return real_vfs->xRandomness(real_vfs, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  // A waiter for a lock that is never released can give up sooner.
  if (atomic_load(&armed_kind) == FaultKindNone) return real_vfs->xSleep(real_vfs, microseconds);
  real_vfs->xSleep(real_vfs, microseconds / 100);
  return microseconds;
}

static int vfs_time(sqlite3_vfs *vfs, double *time) {
  return real_vfs->xCurrentTime(real_vfs, time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *text) {
  return real_vfs->xGetLastError(real_vfs, size, text);
}

static int vfs_time_integer(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return real_vfs->xCurrentTimeInt64(real_vfs, time);
}

static sqlite3_vfs fault_vfs = {
    .iVersion = 2,
    .zName = "fault",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_time,
    .xGetLastError = vfs_last_error,
    .xCurrentTimeInt64 = vfs_time_integer,
};

// MARK: Memory

static sqlite3_mem_methods real_memory;

static void *memory_allocate(int size) {
  return fails(FaultKindAllocation) ? 0 : real_memory.xMalloc(size);
}

static void *memory_resize(void *memory, int size) {
  return fails(FaultKindAllocation) ? 0 : real_memory.xRealloc(memory, size);
}

int fault_install(void) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods memory = real_memory;
  memory.xMalloc = memory_allocate;
  memory.xRealloc = memory_resize;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &memory);
  if (code != SQLITE_OK) return code;
  real_vfs = sqlite3_vfs_find(0);
  if (!real_vfs) return SQLITE_ERROR;
  fault_vfs.mxPathname = real_vfs->mxPathname;
  fault_vfs.szOsFile = (int)sizeof(FaultFile) + real_vfs->szOsFile;
  return sqlite3_vfs_register(&fault_vfs, 1);
}
