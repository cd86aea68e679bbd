import CoreData

/// Holds weak references to all objects that must be deallocated when a walk has ended.
final class LeakWatch {
  private var entries: [Entry] = []
  private var known: Set<ObjectIdentifier> = []

  private struct Entry {
    weak var object: AnyObject?
    let name: String
  }

  func watch(_ object: AnyObject) {
    entries.append(Entry(object: object, name: "\(type(of: object))"))
    if entries.count > 4096 { entries.removeAll { $0.object == nil } }
  }

  /// Returns the names of objects that are still allocated. Waits, because a queue may release its last block late.
  func remaining() -> [String] {
    for _ in 0..<60_000 {
      entries.removeAll { $0.object == nil }
      if entries.isEmpty { return [] }
      Thread.sleep(forTimeInterval: 0.005)
    }
    return Dictionary(grouping: entries, by: \.name).map { "\($0.value.count) \($0.key)" }.sorted()
  }
}

/// The memory of the process.
enum ProcessMemory {
  /// The number of resident bytes.
  static var resident: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
  }
}
