// A virtual file system of SQLite that fails when it is told to, for tests.
//
// It stands in front of the system's and is the default, so that whatever opens a database goes
// through it. It counts operations of one kind, and fails the k-th of them, or all from the k-th on.
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
  // The lock of a file cannot be taken because of an error.
  FaultKindLock,
  // Somebody else has the lock of a file.
  FaultKindBusy,
  FaultKindSharedLock,
  FaultKindSharedBusy,
  FaultKindSharedMap,
  // Memory of SQLite's.
  FaultKindAllocation,
  // Files of this library's own, which SQLite knows nothing of, get their names.
  FaultKindRename,
};

// Puts itself before the system's file system and SQLite's allocator. Before SQLite is used first.
// Returns SQLite's code.
int fault_install(void);

// Lets the k-th operation of a kind fail, counted from 1 and from now; if it is sticky all after it,
// too.
void fault_arm(int kind, long long k, int is_sticky);

// Lets nothing fail any more.
void fault_disarm(void);

// Counts an operation that does not go through SQLite, and says whether it is to fail.
int fault_happens(int kind);

// How many operations of the kind there were since it was armed.
long long fault_count(void);

// How many of them failed.
long long fault_fired(void);
