import Foundation
import StoreInspection

/// Finds out from git which files it could not restore. Other version control systems are not queried.
enum WorkingTree {
  /// Files that git cannot restore, in the order of their paths.
  struct Unrestorable {
    /// Files that changed since the last commit, were never committed, or that git does not compare.
    var uncommitted: [URL] = []
    /// Files that are not in a repository.
    var outside: [URL] = []

    var all: [URL] { uncommitted + outside }
  }

  /// Returns the files that git cannot restore.
  ///
  /// - Throws: ``Diagnostic`` if git fails in a repository, or the repository belongs to another system.
  static func unrestorable(of files: [URL]) throws -> Unrestorable {
    var found = Unrestorable()
    let folders = Dictionary(grouping: files) { $0.deletingLastPathComponent().path }
    var committed: [String: Set<String>] = [:]
    for (folder, files) in folders {
      guard let root = try repository(of: URL(fileURLWithPath: folder, isDirectory: true)) else {
        found.outside += files
        continue
      }
      // Git is run once for each repository, not for each folder.
      let paths = try committed[root.path] ?? committedPaths(in: root)
      committed[root.path] = paths
      found.uncommitted += files.filter { !paths.contains($0.resolvingSymlinksInPath().path) }
    }
    // The dictionary of folders has no order.
    found.uncommitted.sort { $0.path < $1.path }
    found.outside.sort { $0.path < $1.path }
    return found
  }

  /// The marker files and folders of other systems, which are in the root folder of a repository or working copy.
  private static let others = [
    ".hg": "Mercurial", ".svn": "Subversion", ".jj": "Jujutsu", ".bzr": "Bazaar",
    ".fslckout": "Fossil", "_FOSSIL_": "Fossil", "_darcs": "Darcs", ".pijul": "Pijul", "CVS": "CVS",
    ".sl": "Sapling",
  ]

  /// Returns the repository that contains a folder: the nearest folder above with `.git` in it. If another system, such
  /// as Jujutsu, manages the same folder, git still knows what it could restore.
  private static func repository(of folder: URL) throws -> URL? {
    var folder = folder.resolvingSymlinksInPath()
    while true {
      func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
      }
      if has(".git") { return folder }
      if let system = others.sorted(by: { $0.key < $1.key }).first(where: { has($0.key) })?.value {
        throw Diagnostic(
          .data,
          "\(folder.path) is managed by \(system), and only git can be checked for files that cannot be restored;"
            + " nothing was rewritten",
          details: ["Commit the changes, and use --allow-uncommitted."])
      }
      let above = folder.deletingLastPathComponent()
      if above.path == folder.path { return nil }
      folder = above
    }
  }

  private static func committedPaths(in root: URL) throws -> Set<String> {
    var paths: Set<String> = []
    // Git marks the files that it tracks and compares with H. It marks files whose changes it does not report, for
    // example because of `git update-index --assume-unchanged`, with other letters.
    for entry in try git(["ls-files", "-v", "-z"], in: root).split(separator: "\0")
    where entry.hasPrefix("H ") {
      paths.insert(root.appendingPathComponent(String(entry.dropFirst(2))).path)
    }
    let status = try git(
      withoutFilters(in: root)
        + ["status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all"],
      in: root)
    var entries = status.split(separator: "\0")[...]
    while let entry = entries.popFirst() {
      paths.remove(root.appendingPathComponent(String(entry.dropFirst(3))).path)
      // The entry of a renamed file is followed by its former name.
      if entry.prefix(2).contains("R") || entry.prefix(2).contains("C") {
        entries = entries.dropFirst()
      }
    }
    return paths
  }

  /// Git options that disable the content filters of the configuration (`filter.NAME.clean`). A
  /// file that such a filter would change counts as changed.
  ///
  /// - Throws: ``Diagnostic`` for a filter with `=` in its name. Git splits an option at the first `=`, so no option
  ///   disables such a filter.
  private static func withoutFilters(in root: URL) throws -> [String] {
    // Git exits with 1 if there are no such entries.
    let names = try git(
      ["config", "--null", "--name-only", "--get-regexp", "^filter\\."], in: root, or: 1
    ).split(separator: "\0")
    if let name = names.first(where: { $0.contains("=") }) {
      throw Diagnostic(
        .data,
        "git cannot report the changes in \(root.path) without running the program of a content filter: its"
          + " configuration contains '\(String(name).onOneLine)', which no option can disable",
        details: [
          "Rename the filter so that its name contains no '='.",
          "Use --allow-uncommitted to rewrite without this check.",
        ])
    }
    return names.flatMap { name in
      ["-c", name.hasSuffix(".required") ? "\(name)=false" : "\(name)="]
    }
  }

  /// Runs git so that it runs no program in the repository's configuration or the environment, because the folder
  /// may come from an untrusted source. Git queries no file system monitor, runs no hooks and does not write the index,
  /// which would run a hook.
  ///
  /// - Parameter other: An exit code that is accepted besides 0.
  private static func git(
    _ arguments: [String], in root: URL, or other: Int32 = 0
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "git", "--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c",
        "core.hooksPath=/dev/null", "-C", root.path,
      ] + arguments
    // These variables could select another repository, another index, or more configuration.
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    // Git must not fetch a missing object from a remote, with a program from the repository's configuration
    // (`core.sshCommand`).
    environment["GIT_ALLOW_PROTOCOL"] = "none"
    environment["GIT_NO_LAZY_FETCH"] = "1"
    environment["GIT_TERMINAL_PROMPT"] = "0"
    process.environment = environment
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    do { try process.run() } catch {
      throw Diagnostic(.data, "git cannot be run: \(error.localizedDescription)")
    }
    // Both pipes are read concurrently, because git waits while one is full.
    nonisolated(unsafe) var complaint = Data()
    let reading = DispatchGroup()
    DispatchQueue.global().async(group: reading) {
      complaint = errors.fileHandleForReading.readDataToEndOfFile()
    }
    let text = output.fileHandleForReading.readDataToEndOfFile()
    reading.wait()
    process.waitUntilExit()
    guard [0, other].contains(process.terminationStatus) else {
      let reason = String(decoding: complaint, as: UTF8.self).trimmingCharacters(in: .newlines)
      throw Diagnostic(
        .data, "git cannot report the changes in \(root.path): \(reason)",
        details: ["Use --allow-uncommitted to rewrite without this check."])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
