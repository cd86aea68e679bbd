import Foundation
import StoreInspection

/// Finds the processes that have a store open.
///
/// Linux tells in two places. `/proc/<id>/fd` lists the open files of each process that this user
/// may look into. `/proc/locks` lists the locks of all processes, also of other users'; a Core Data
/// store in use holds one, since SQLite in WAL mode keeps a shared lock as long as it is open. On
/// other systems nothing is found.
enum StoreUsers {
  /// A process that has a store open.
  struct Process: Hashable, CustomStringConvertible, Sendable {
    var identifier: Int
    /// The program's name, nil where it cannot be read.
    var name: String?

    var description: String {
      name.map { "\($0) (process \(identifier))" } ?? "process \(identifier)"
    }
  }

  /// The other processes that have the store, its write-ahead log or its index of that open, by
  /// their number.
  static func processes(
    using path: String, procDirectory: String = "/proc",
    ownIdentifier: Int = Int(ProcessInfo.processInfo.processIdentifier)
  ) -> [Process] {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let files = ["", "-wal", "-shm"].compactMap { FileIdentity(path: path + $0) }
    guard !files.isEmpty else { return [] }
    let manager = FileManager.default
    var found: Set<Int> = []
    let entries = (try? manager.contentsOfDirectory(atPath: procDirectory)) ?? []
    for identifier in entries.compactMap({ Int($0) }) where identifier != ownIdentifier {
      let folder = "\(procDirectory)/\(identifier)/fd"
      // A process of another user, or one that just ended, cannot be looked into.
      guard let descriptors = try? manager.contentsOfDirectory(atPath: folder) else { continue }
      let opens = descriptors.contains { descriptor in
        FileIdentity(path: "\(folder)/\(descriptor)").map(files.contains) ?? false
      }
      if opens { found.insert(identifier) }
    }
    let locks = (try? String(contentsOfFile: "\(procDirectory)/locks", encoding: .utf8)) ?? ""
    found.formUnion(lockHolders(in: locks, of: files).subtracting([ownIdentifier]))
    return found.sorted().map { identifier in
      let name = try? String(
        contentsOfFile: "\(procDirectory)/\(identifier)/comm", encoding: .utf8)
      return Process(
        identifier: identifier, name: name?.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  /// The processes that hold locks of some files, by the text of `/proc/locks`. A line is
  /// `1: POSIX  ADVISORY  READ 1234 08:02:5767 128 128`: process, then device and inode.
  static func lockHolders(in text: String, of files: [FileIdentity]) -> Set<Int> {
    let wanted = Set(files.map(\.lockName))
    var holders: Set<Int> = []
    for line in text.split(separator: "\n") {
      // A waiting lock has an arrow before its fields.
      let fields = line.split(separator: " ").filter { $0 != "->" }
      guard fields.count >= 6, wanted.contains(String(fields[5])), let holder = Int(fields[4]),
        holder > 0
      else { continue }
      holders.insert(holder)
    }
    return holders
  }
}
