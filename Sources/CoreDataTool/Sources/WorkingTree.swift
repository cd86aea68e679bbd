import Foundation
import StoreInspection

/// What git says about files: which ones it could not restore. Other version control systems are not queried.
enum WorkingTree {
  /// Files that git cannot restore, in the order of their paths.
  struct Unrestorable {
    /// Changed since the last commit, never committed, or excluded from git's comparison.
    var uncommitted: [URL] = []
    /// In no repository at all.
    var outside: [URL] = []

    var all: [URL] { uncommitted + outside }
  }

  /// Returns those of some files that git cannot restore.
  ///
  /// - Throws: ``Diagnostic`` where git cannot be run in a repository, or the repository is not git's.
  static func unrestorable(of files: [URL]) throws -> Unrestorable {
    var found = Unrestorable()
    let folders = Dictionary(grouping: files) { $0.deletingLastPathComponent().path }
    var committed: [String: Set<String>] = [:]
    for (folder, files) in folders {
      guard let root = try repository(of: URL(fileURLWithPath: folder, isDirectory: true)) else {
        found.outside += files
        continue
      }
      let paths = try committed[root.path] ?? committedPaths(in: root)
      committed[root.path] = paths
      found.uncommitted += files.filter { !paths.contains($0.resolvingSymlinksInPath().path) }
    }
    found.uncommitted.sort { $0.path < $1.path }
    found.outside.sort { $0.path < $1.path }
    return found
  }

  /// What other systems have in the folder of a repository or a working copy.
  private static let others = [
    ".hg": "Mercurial", ".svn": "Subversion", ".jj": "Jujutsu", ".bzr": "Bazaar",
    ".fslckout": "Fossil", "_FOSSIL_": "Fossil", "_darcs": "Darcs", ".pijul": "Pijul", "CVS": "CVS",
    ".sl": "Sapling",
  ]

  /// The repository that a folder is in: the nearest folder above with `.git` in it. Where another system keeps the
  /// folder too, as Jujutsu may, git knows what it could bring back.
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
          "\(folder.path) is kept by \(system), and only git is asked which files could not be brought back;"
            + " nothing was rewritten",
          details: ["Commit what was changed, and use --allow-uncommitted."])
      }
      let above = folder.deletingLastPathComponent()
      if above.path == folder.path { return nil }
      folder = above
    }
  }

  private static func committedPaths(in root: URL) throws -> Set<String> {
    var paths: Set<String> = []
    // The tag H is that of files that git knows and compares; others have been told to be passed over.
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
      // A renamed file's former name follows.
      if entry.prefix(2).contains("R") || entry.prefix(2).contains("C") {
        entries = entries.dropFirst()
      }
    }
    return paths
  }

  /// Options of git by which the programs are not run that the configuration names for the content of files
  /// (`filter.NAME.clean`): a file that one of them would change counts as changed.
  private static func withoutFilters(in root: URL) throws -> [String] {
    // Without one git ends with 1.
    let names = try git(
      ["config", "--null", "--name-only", "--get-regexp", "^filter\\."], in: root, or: 1)
    return names.split(separator: "\0").flatMap { name in
      ["-c", name.hasSuffix(".required") ? "\(name)=false" : "\(name)="]
    }
  }

  /// Runs git, which runs no program that the repository's configuration or the environment names: the folder may be a
  /// stranger's. It asks no file system monitor, runs no hook, and does not write the index, after which there is one.
  ///
  /// - Parameter other: what it may end with besides 0.
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
    // They would name another repository, another index, or more configuration.
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    // An object that is missing is not fetched from where the repository says, by a program that it names
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
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard [0, other].contains(process.terminationStatus) else {
      let reason = String(decoding: complaint, as: UTF8.self).trimmingCharacters(in: .newlines)
      throw Diagnostic(
        .data, "git does not say what has changed in \(root.path): \(reason)",
        details: ["With --allow-uncommitted it is not asked."])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
