import Foundation
import StoreInspection

/// Finds the processes that have a store open.
///
/// Linux has the information in two places. `/proc/<id>/fd` lists the open files of each process that this user may
/// inspect. `/proc/locks` lists the locks of all processes, including those of other users; a process that has a
/// Core Data store open holds one, since SQLite in WAL mode keeps a shared lock while a database is open. On other
/// systems, no processes are found.
enum StoreUsers {
  /// A process that has a store open.
  struct Process: Hashable, CustomStringConvertible, Sendable {
    var identifier: Int
    /// The program's name; nil if it cannot be read.
    var name: String?

    var description: String {
      name.map { "\($0) (process \(identifier))" } ?? "process \(identifier)"
    }
  }

  /// Returns the other processes that have the store, its write-ahead log or its shared-memory index open, sorted by
  /// process ID.
  static func processes(
    using path: String, procDirectory: String = "/proc",
    ownIdentifier: Int = Int(ProcessInfo.processInfo.processIdentifier)
  ) -> [Process] {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    // Files are compared by device and inode, because a process may have opened the file by another path.
    let files = ["", "-wal", "-shm"].compactMap { FileIdentity(path: path + $0) }
    guard !files.isEmpty else { return [] }
    let manager = FileManager.default
    var found: Set<Int> = []
    let entries = (try? manager.contentsOfDirectory(atPath: procDirectory)) ?? []
    for identifier in entries.compactMap({ Int($0) }) where identifier != ownIdentifier {
      let folder = "\(procDirectory)/\(identifier)/fd"
      // The descriptors of a process of another user, or of one that just ended, cannot be read.
      guard let descriptors = try? manager.contentsOfDirectory(atPath: folder) else { continue }
      let opens = descriptors.contains { descriptor in
        FileIdentity(path: "\(folder)/\(descriptor)").map(files.contains) ?? false
      }
      if opens { found.insert(identifier) }
    }
    // Locks also reveal processes of other users, whose descriptors cannot be read.
    let locks = (try? String(contentsOfFile: "\(procDirectory)/locks", encoding: .utf8)) ?? ""
    found.formUnion(lockHolders(in: locks, of: files).subtracting([ownIdentifier]))
    return found.sorted().map { identifier in
      let name = try? String(
        contentsOfFile: "\(procDirectory)/\(identifier)/comm", encoding: .utf8)
      return Process(
        identifier: identifier, name: name?.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  /// Returns the processes that hold locks on some files, from the text of `/proc/locks`. A line there is
  /// `1: POSIX  ADVISORY  READ 1234 08:02:5767 128 128`: process, then device and inode.
  static func lockHolders(in text: String, of files: [FileIdentity]) -> Set<Int> {
    let wanted = Set(files.map(\.lockName))
    var holders: Set<Int> = []
    for line in text.split(separator: "\n") {
      // The line of a waiting lock has an arrow before its fields.
      let fields = line.split(separator: " ").filter { $0 != "->" }
      // A lock of an open file description belongs to no process and has the number -1.
      guard fields.count >= 6, wanted.contains(String(fields[5])), let holder = Int(fields[4]),
        holder > 0
      else { continue }
      holders.insert(holder)
    }
    return holders
  }
}
