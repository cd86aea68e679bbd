import FixtureSupport
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

    /// The operations, without `close`: with a rollback journal, that has no work left to do.
    private static let operations = [
      "save", "batch-insert", "batch-update", "batch-delete", "open", "create", "fetch",
      "checkpoint", "copy", "replace", "history-save", "history-batch", "history-begin",
      "history-delete", "migrate", "migrate-copy", "external-save",
    ]

    /// Each operation has one journal and one half of the kinds of failure, and the next operations have the others;
    /// `scripts/soak faults` tries all of them.
    private static let faultCases: [(operation: String, journal: String, kinds: String)] = {
      let halves = [
        ("wal", "write,sync,open,allocation"), ("delete", "write,truncate,lock,allocation"),
        ("wal", "read,full,shm-lock,rename"), ("delete", "sync,delete,busy,rename"),
      ]
      let cases = operations.enumerated().flatMap { number, operation in
        WholeRun.isChosen
          ? halves.map { (operation, $0, $1) }
          : [(operation, halves[number % 4].0, halves[number % 4].1)]
      }
      return cases + [("close", halves[0].0, halves[0].1)]
    }()

    /// Sources for the guarantees: "SQLite Is Transactional" and "Atomic Commit In SQLite" on
    /// sqlite.org.
    @Test(
      "After any file system or memory failure, the store has its old or its new state",
      arguments: faultCases)
    func faults(_ operation: String, _ journal: String, _ kinds: String) throws {
      let lines = try Workload.run(
        "faults", "--operations", operation, "--journals", journal, "--kinds", kinds,
        "--steps", "1"
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
