import Testing

#if os(Linux)
  /// Short runs of `scripts/soak crash`, `scripts/soak stores`, `scripts/soak faults` and
  /// `scripts/fuzz stores`.
  @Suite("What a store survives")
  struct WorkloadTests {
    @Test("A process killed during a save loses no data and leaves no partial data")
    func crash() throws {
      let lines = try Workload.run("crash", "--loops", "12", "--seed", Workload.seed(4))
      #expect(lines.last?.hasPrefix("crash: 12 kills") == true)
    }

    @Test("A process killed during a migration leaves the old store or the new one")
    func migrationCrash() throws {
      let lines = try Workload.run(
        "crash-migration", "--loops", "10", "--seed", Workload.seed(5))
      #expect(lines.last?.hasPrefix("crash-migration: 10 kills") == true)
    }

    @Test("A migration that fails late keeps the store, and uses constant memory")
    func largeMigration() throws {
      let lines = try Workload.run("large-migration", "--rows", "20000")
      #expect(lines.last?.hasPrefix("large-migration: 20000 rows") == true)
    }

    @Test("Processes that create and write one store lose no save", arguments: ["wal", "delete"])
    func processes(_ journal: String) throws {
      let lines = try Workload.run(
        "soak", "--saves", "60", "--races", "3", "--journals", journal)
      #expect(lines.count == 3)
    }

    /// `close` is tested only with a write-ahead log: with a rollback journal, it has no work left to do.
    private static let faultCases: [(operation: String, journal: String)] =
      [
        "save", "batch-insert", "batch-update", "batch-delete", "open", "create", "fetch",
        "checkpoint", "copy", "replace", "history-save", "history-batch", "history-begin",
        "history-delete", "migrate", "migrate-copy", "external-save",
      ].flatMap { [($0, "wal"), ($0, "delete")] } + [("close", "wal")]

    /// Sources for the guarantees: "SQLite Is Transactional" and "Atomic Commit In SQLite" on
    /// sqlite.org.
    @Test(
      "After any file system or memory failure, the store has its old or its new state",
      arguments: faultCases)
    func faults(_ operation: String, _ journal: String) throws {
      let kinds =
        journal == "wal"
        ? "read,write,full,sync,open,shm-lock,allocation,rename"
        : "write,sync,truncate,delete,lock,busy,allocation,rename"
      let lines = try Workload.run(
        "faults", "--operations", operation, "--journals", journal, "--kinds", kinds,
        "--steps", journal == "wal" ? "2" : "1"
      )
      let last = try #require(lines.last)
      #expect(last.hasPrefix("faults: ") && !last.hasPrefix("faults: 0 runs"), "\(last)")
    }

    @Test("A full disk throws and loses nothing, and saving works again once there is space")
    func fullDisk() throws {
      let lines = try Workload.run("full-disk")
      // Mounting a disk in memory needs a privilege that not every user has.
      #expect(lines.count == 6 || lines.first?.hasPrefix("full-disk: left out") == true)
    }

    @Test("A randomly damaged store is read or rejected, in bounded time and memory")
    func fuzz() throws {
      let lines = try Workload.run("fuzz", "--runs", "60", "--seed", Workload.seed(3))
      #expect(lines.last?.hasPrefix("fuzz: 60 mutants") == true)
    }

    @Test("Files outside the folder are unchanged, whatever is beside a store, and nothing blocks")
    func folders() throws {
      let lines = try Workload.run("fuzz-folders", "--runs", "40", "--seed", Workload.seed(4))
      #expect(lines.last?.hasPrefix("fuzz-folders: 40 folders") == true)
    }
  }
#endif
