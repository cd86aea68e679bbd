import CoreData
import FaultVFS

/// Makes the k-th operation of a kind fail, once or from then on, for each k until a run meets no
/// failure. After each run the store must have its old or its new contents, and must be usable. No
/// value file may be left that no row refers to, unless the outcome of the commit is unknown.
///
/// `faults --operations save,open --kinds write,sync --journals wal --steps 60`
enum FaultTest {
  private static let kinds: [(name: String, kind: FaultKind)] = [
    ("read", FaultKindRead), ("write", FaultKindWrite), ("full", FaultKindFull),
    ("sync", FaultKindSync), ("truncate", FaultKindTruncate), ("size", FaultKindSize),
    ("open", FaultKindOpen), ("delete", FaultKindDelete), ("lock", FaultKindLock),
    ("busy", FaultKindBusy), ("shm-lock", FaultKindSharedLock), ("shm-busy", FaultKindSharedBusy),
    ("shm-map", FaultKindSharedMap), ("allocation", FaultKindAllocation),
    ("rename", FaultKindRename),
  ]

  /// External files do not go through SQLite, but their failures use the same count.
  private static let reason: @Sendable (FileFault.Operation) -> Int32 = { operation in
    func happens(_ kind: FaultKind) -> Bool { fault_happens(Int32(kind.rawValue)) != 0 }
    switch operation {
    case .open: return happens(FaultKindOpen) ? EACCES : 0
    case .write: return happens(FaultKindWrite) ? EIO : happens(FaultKindFull) ? ENOSPC : 0
    case .sync: return happens(FaultKindSync) ? EIO : 0
    case .rename: return happens(FaultKindRename) ? EIO : 0
    }
  }

  static func run(_ arguments: Arguments) throws {
    try Lost.unless(fault_install() == 0, "the failing file system cannot be installed")
    FileFault.reason = reason
    let operations = arguments.text("operations", "").split(separator: ",").map(String.init)
    let kinds = arguments.text("kinds", "").split(separator: ",").map(String.init)
    let steps = try arguments.number("steps", .max)
    var total = Tally()
    for journal in arguments.text("journals", "wal,delete").split(separator: ",").map(String.init) {
      for operation in FaultOperation.all
      where operations.isEmpty || operations.contains(operation.name) {
        let template = try FaultTemplate(operation, journal)
        for (name, kind) in Self.kinds where kinds.isEmpty || kinds.contains(name) {
          for isSticky in [false, true] {
            var series = FaultSeries(
              operation, template, kind, named: name, isSticky: isSticky, steps: steps)
            let tally = try series.run()
            if tally.runs > 0 {
              Report.line(
                "\(journal) \(operation.name): \(name) fails \(isSticky ? "from k on" : "once"):"
                  + " \(tally)")
            }
            total.add(tally)
          }
        }
      }
    }
    Report.line("faults: \(total); each store has its old or its new state")
  }

  /// The results of the runs.
  struct Tally: CustomStringConvertible {
    var operations = 0
    var runs = 0
    var errors = 0
    var reopened = 0

    mutating func add(_ other: Tally) {
      operations += other.operations
      runs += other.runs
      errors += other.errors
      reopened += other.reopened
    }

    var description: String {
      "\(runs) runs (of \(operations)), \(errors) errors, \(reopened) usable only after reopening"
    }
  }
}

/// The closed store with which an operation starts.
struct FaultTemplate {
  let folder: TemporaryFolder
  let options: [AnyHashable: Any]
  private(set) var history: [String] = []
  /// The names of the value files in its rows.
  private(set) var files: Set<String> = []

  init(_ operation: FaultOperation, _ journal: String) throws {
    folder = try TemporaryFolder()
    var options = WorkloadStore.options(journal: journal)
    if operation.checkpoints, journal == "wal" {
      options = [NSSQLitePragmasOption: ["wal_autocheckpoint": 1]]
    }
    options[NSPersistentStoreTimeoutOption] = 0.03
    let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true as NSNumber]
    let recorded = options.merging(tracking) { $1 }
    self.options = operation.history == .none ? options : recorded
    guard let steps = operation.steps else { return }
    let url = folder.file("ledger.sqlite")
    let store = try WorkloadStore(url, operation.history == .changes ? recorded : options)
    try store.context.performAndWait {
      for number in 1...steps { try Ledger.perform(number, in: store.context) }
    }
    try store.close()
    let plain = try PlainSQL(url)
    history = try plain.history(withLast: true)
    files = try ValueFiles(of: url, plain).named
  }
}
