import Foundation
import StoreInspection

/// Finds out from git which files it could not restore. Other version control systems are not queried.
enum WorkingTree {
  /// Files that git cannot restore. Each list is sorted by path.
  struct Unrestorable {
    /// Files that changed since the last commit, were never committed, or are not compared by git.
    var uncommitted: [URL] = []
    /// Files that are not in a repository.
    var outside: [URL] = []

    var all: [URL] { uncommitted + outside }
  }

  /// Returns the files that git cannot restore.
  ///
  /// - Throws: ``Diagnostic`` if git fails in a repository, or another version control system manages a file's folder.
  static func unrestorable(of files: [URL]) throws -> Unrestorable {
    var found = Unrestorable()
    let folders = Dictionary(grouping: files) {
      $0.resolvingSymlinksInPath().deletingLastPathComponent().path
    }
    var repositories: [[UInt8]: Repository] = [:]
    for (path, files) in folders {
      let folder = URL(fileURLWithPath: path, isDirectory: true)
      let place = try repositoryPlace(of: folder)
      // The changes are read once for each repository, not for each folder.
      if let place, repositories[place] == nil { repositories[place] = try Repository(of: folder) }
      let repository = place.flatMap { repositories[$0] }
      try requireNoOtherSystem(from: folder, to: repository?.top)
      guard let repository else {
        found.outside += files
        continue
      }
      found.uncommitted += files.filter { !repository.isCommitted($0) }
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

  /// Returns what identifies the repository that git uses for a folder: the paths of its work tree and of its data. Nil
  /// if the folder is in no repository.
  private static func repositoryPlace(of folder: URL) throws -> [UInt8]? {
    do {
      return try git(["rev-parse", "--show-toplevel", "--absolute-git-dir"], in: folder)
    } catch {
      // Git has the same exit code for a folder outside of repositories and for a repository that it refuses to use.
      if ancestors(of: folder).contains(where: { has(".git", in: $0) }) { throw error }
      return nil
    }
  }

  /// Throws an error if another system manages a folder, or one above it and below the work tree of git. If another
  /// system, such as Jujutsu, manages the same folder as git, git still knows what it could restore.
  ///
  /// - Parameter top: The work tree of git; nil if git does not manage the folder.
  private static func requireNoOtherSystem(from folder: URL, to top: URL?) throws {
    for folder in ancestors(of: folder) {
      if folder.path == top?.path { return }
      let mark = others.keys.sorted().first { has($0, in: folder) }
      if let system = mark.flatMap({ others[$0] }) {
        throw Diagnostic(
          .data,
          "\(folder.path) is managed by \(system), and only git can be checked for files that cannot be restored;"
            + " nothing was rewritten",
          details: ["Commit the changes, and use --allow-uncommitted."])
      }
    }
  }

  /// Returns a folder and those above it.
  private static func ancestors(of folder: URL) -> some Sequence<URL> {
    sequence(first: folder) { folder in
      let above = folder.deletingLastPathComponent()
      return above.path == folder.path ? nil : above
    }
  }

  private static func has(_ name: String, in folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
  }

  /// A repository, and its files that have not changed since the last commit.
  private struct Repository {
    /// The folder at the top of the work tree.
    let top: URL
    /// The paths as bytes, because two paths may be equal as strings and belong to different files.
    private var committed: Set<[UInt8]> = []

    /// Reads which files have not changed since the last commit, in the repository that contains a folder.
    init(of folder: URL) throws {
      let path = try WorkingTree.git(["rev-parse", "--show-toplevel"], in: folder).dropLast()
      top = URL(fileURLWithPath: String(decoding: path, as: UTF8.self), isDirectory: true)
        .resolvingSymlinksInPath()
      let start = Array((top.path == "/" ? "/" : top.path + "/").utf8)
      // The commands run in the given folder, because git may find another repository from the top. `:/` is the top.
      let tracked = try WorkingTree.git(
        ["ls-files", "-v", "-s", "-z", "--full-name", ":/"], in: folder)
      // An entry is `H 100644 HASH STAGE`, a tab and the path. The letter H marks files that git tracks and compares;
      // other letters mark files whose changes git does not report, for example because of
      // `git update-index --assume-unchanged`. Links and submodules have modes that do not begin with 100.
      for entry in tracked.split(separator: 0) where entry.starts(with: "H 100".utf8) {
        guard let tab = entry.firstIndex(of: UInt8(ascii: "\t")) else { continue }
        committed.insert(start + entry[(tab + 1)...])
      }
      // The paths are relative to the top, wherever the command runs. An entry is two letters, a space and the path.
      let changed = try WorkingTree.git(
        WorkingTree.withoutFilters(in: folder) + [
          "status", "--porcelain", "-z", "--no-renames", "--untracked-files=no",
          "--ignore-submodules=all",
        ], in: folder)
      for entry in changed.split(separator: 0) { committed.remove(start + entry.dropFirst(3)) }
    }

    func isCommitted(_ file: URL) -> Bool {
      committed.contains(Array(file.resolvingSymlinksInPath().path.utf8))
    }
  }

  /// Git options that disable the content filters of the configuration (`filter.NAME.clean`). A
  /// file that such a filter would change counts as changed.
  ///
  /// - Throws: ``Diagnostic`` for a filter with `=` in its name. Git splits an option at the first `=`, so no option
  ///   disables such a filter.
  private static func withoutFilters(in folder: URL) throws -> [String] {
    // Git exits with 1 if there are no such entries.
    let names = try git(
      ["config", "--null", "--name-only", "--get-regexp", "^filter\\."], in: folder, or: 1
    ).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    if let name = names.first(where: { $0.contains("=") }) {
      throw Diagnostic(
        .data,
        "git cannot report the changes in \(folder.path) without running the program of a content filter: its"
          + " configuration contains '\(name.onOneLine)', which no option can disable",
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
  /// may come from an untrusted source. Git queries no file system monitor, runs no hooks, does not write the index
  /// (which would run a hook), and ignores bare repositories among the files (a commit may contain one).
  ///
  /// - Parameter other: An exit code that is accepted besides 0.
  private static func git(
    _ arguments: [String], in folder: URL, or other: Int32 = 0
  ) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "git", "--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c",
        "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit", "-C", folder.path,
      ] + arguments
    // These variables could select another repository, another index, or more configuration.
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    // Git must not fetch a missing object from a remote, with a program from the repository's configuration
    // (`core.sshCommand`).
    environment["GIT_ALLOW_PROTOCOL"] = "none"
    environment["GIT_NO_LAZY_FETCH"] = "1"
    environment["GIT_TERMINAL_PROMPT"] = "0"
    // A folder on another file system can be a part of the repository too.
    environment["GIT_DISCOVERY_ACROSS_FILESYSTEM"] = "1"
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
    let written = output.fileHandleForReading.readDataToEndOfFile()
    reading.wait()
    process.waitUntilExit()
    guard [0, other].contains(process.terminationStatus) else {
      let reason = String(decoding: complaint, as: UTF8.self).trimmingCharacters(in: .newlines)
      throw Diagnostic(
        .data, "git cannot report the changes in \(folder.path): \(reason)",
        details: ["Use --allow-uncommitted to rewrite without this check."])
    }
    return Array(written)
  }
}
