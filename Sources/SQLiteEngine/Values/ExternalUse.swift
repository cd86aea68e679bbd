import Foundation

/// Tracks the value files that this process still needs after the last row of the database that referred to them was
/// changed or deleted: rows in memory, or in a pinned query generation, may still refer to these files.
///
/// All coordinators of this process that have a store open share one instance for the store's folder of files. A
/// discarded file is removed as soon as this process no longer needs it.
final class ExternalUse: @unchecked Sendable {
  private let files: ExternalFiles
  private let lock = NSLock()
  private var pins = 0
  /// The number of holders of each file, by the key of its name (``ValueFileNames/key(_:)``).
  private var holders: [String: Int] = [:]
  private var discarded: Set<String> = []

  private init(_ files: ExternalFiles) { self.files = files }

  private static let lock = NSLock()
  nonisolated(unsafe) private static var uses: [String: WeakUse] = [:]

  private struct WeakUse {
    weak var use: ExternalUse?
  }

  /// Returns the instance for a store.
  ///
  /// - Parameter url: The URL of the file, without links, so that coordinators that use different paths of the same
  ///   file share the instance.
  static func of(_ url: URL) -> ExternalUse {
    let files = ExternalFiles(store: url)
    return lock.withLock {
      if let use = uses[files.folder.path]?.use { return use }
      uses = uses.filter { $0.value.use != nil }
      let use = ExternalUse(files)
      uses[files.folder.path] = WeakUse(use: use)
      return use
    }
  }

  /// Keeps all files until `unpin` is called. Call it before reading rows, which may refer to any of the files. Calls
  /// can be nested.
  func pin() { lock.withLock { pins += 1 } }

  func unpin() { change { pins -= 1 } }

  /// Keeps a file until `release` is called, because a row in memory refers to it.
  func hold(_ name: String) {
    lock.withLock { holders[ValueFileNames.key(name), default: 0] += 1 }
  }

  func release(_ names: [String]) {
    change {
      for name in names.map(ValueFileNames.key) {
        let count = (holders[name] ?? 1) - 1
        holders[name] = count == 0 ? nil : count
      }
    }
  }

  /// Removes files that no row refers to, as soon as they are no longer needed. Keeps all of them if another store
  /// has its files in the same folder, because that store may be a copy whose rows refer to the same files.
  ///
  /// - Returns: The files that were not removed although this process no longer needs them.
  @discardableResult func discard(_ names: [String]) -> [String] {
    if names.isEmpty { return [] }
    if files.isShared { return names }
    let left = Set(change { discarded.formUnion(names) })
    return names.filter(left.contains)
  }

  /// Runs `body`, and removes the discarded files that are no longer needed.
  ///
  /// - Returns: The files that are no longer needed but were not removed.
  @discardableResult private func change(_ body: () -> Void) -> [String] {
    let unused: [String] = lock.withLock {
      body()
      guard pins == 0, !discarded.isEmpty else { return [] }
      let unused = discarded.filter { holders[ValueFileNames.key($0)] == nil }
      discarded.subtract(unused)
      return unused.sorted()
    }
    if unused.isEmpty { return [] }
    // A store that shares the folder may have been created since the files were discarded.
    return files.isShared ? unused : files.remove(unused)
  }
}

/// Keeps the files that rows in memory refer to as long as the lease exists.
final class ExternalLease {
  private let use: ExternalUse
  private var names: [String] = []

  init(_ use: ExternalUse) { self.use = use }

  func add(_ name: String) {
    use.hold(name)
    names.append(name)
  }

  deinit { use.release(names) }
}
