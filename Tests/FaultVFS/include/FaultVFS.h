// A virtual file system for SQLite that fails on request, for tests.
//
// It wraps the system's file system and is SQLite's default file system, so that every database
// access goes through it. It counts the operations of one kind, and fails the k-th of them, or all from the
// k-th on.
#pragma once

enum FaultKind {
  FaultKindNone = 0,
  FaultKindRead,
  FaultKindWrite,
  // Writing fails because the disk is full.
  FaultKindFull,
  FaultKindSync,
  FaultKindTruncate,
  FaultKindSize,
  FaultKindOpen,
  FaultKindDelete,
  // Locking a file fails with an error.
  FaultKindLock,
  // Another process holds the lock on a file.
  FaultKindBusy,
  FaultKindSharedLock,
  FaultKindSharedBusy,
  FaultKindSharedMap,
  // SQLite's memory allocations.
  FaultKindAllocation,
  // Renaming the library's own files, which SQLite does not access.
  FaultKindRename,
};

// Installs the wrappers of the system's file system and of SQLite's allocator. Must be called
// before SQLite is used. Returns a SQLite result code.
int fault_install(void);

// Makes the k-th operation of a kind fail, counted from 1 and from now, and all later ones too if
// `is_sticky` is set.
void fault_arm(int kind, long long k, int is_sticky);

// Stops all failures.
void fault_disarm(void);

// Counts an operation that does not go through SQLite, and returns whether it must fail.
int fault_happens(int kind);

// Returns the number of operations of the kind since it was armed.
long long fault_count(void);

// Returns the number of operations that failed.
long long fault_fired(void);
