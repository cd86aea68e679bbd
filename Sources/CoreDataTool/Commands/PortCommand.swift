import ArgumentParser
import Foundation
import ObjectModel
import SourcePorting
import StoreInspection

/// `coredata port`: rewrites Swift sources so that they also build where Apple's frameworks are missing.
struct PortCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "port",
    abstract: "Rewrites Swift sources so that they build on Apple's platforms and elsewhere.",
    discussion: """
      What it rewrites:
      - @objc, @objcMembers and @IBOutlet move behind #if canImport(ObjectiveC);
      - #keyPath, NSStringFromSelector(#selector(getter:)) and the #selector of a
        comparison become strings;
      - a statement with a cast to NSFetchRequest<…> or
        NSDiffableDataSourceSnapshot<…> is written twice; without Objective-C,
        the second version converts instead of casting;
      - overrides and init(context:) move from extensions into their class in the
        same file;
      - initializers that the library requires are marked required, and classes that
        have only other initializers get them: managed objects, value
        transformers, migration policies;
      - an array literal where an NSSet is expected becomes NSSet(array: […]), if the
        type is known from the sources or a model;
      - protocols marked @objc become class-bound protocols;
      - import os, import Foundation.ValueTransformer and the like are replaced, and a
        missing import of CoreData is added.
      The command lists what has to be rewritten by hand: each location, and what to do there. Locations refer to the \
      rewritten file, or with --check to the file as it is; --diff only counts them. The command lists a file with a \
      syntax error and does not change it. Rewriting twice changes nothing. Classes are looked up in all given files \
      and in the models of the package or Xcode project that contains the files.
      If git cannot restore one of the files to be rewritten (because it has uncommitted changes, is outside a \
      repository, or is under another version control system such as Mercurial, Subversion or Jujutsu), the command \
      rewrites nothing, unless --allow-uncommitted is given.
      Exit codes: 0 done, nothing is left; 1 there is work to do by hand, or with --check something to \
      rewrite; 64 and 65 as for all commands.
      """
  )

  @Argument(help: "Swift files, or folders of them.")
  var paths: [String]

  @Flag(help: "Only report what would be rewritten and what is left to do by hand.")
  var check = false

  @Flag(help: "Only print the changes as a patch.")
  var diff = false

  @Flag(help: "Also rewrite files that git cannot restore.")
  var allowUncommitted = false

  private struct Source {
    let url: URL
    let text: String
    let ported: PortedSource
    var isChanged: Bool { text != ported.text }
    var path: String { SwiftSources.shortPath(of: url) }
  }

  func validate() throws {
    if paths.isEmpty { throw ValidationError("no file or folder was given") }
  }

  func run() throws {
    let files = try SwiftSources(at: paths).files
    // Read all files first, because a class and its superclass may be in different files.
    let texts = try files.map(Self.read)
    let classes = ManagedClasses(of: texts, generating: GeneratedClasses(around: paths).classes)
    let sources = zip(files, texts).map { url, text in
      Source(url: url, text: text, ported: PortedSource(text, among: classes))
    }
    let changed = sources.filter(\.isChanged)
    if !check, !diff { try write(changed) }
    for source in sources {
      if diff {
        Console.current.output(
          UnifiedDiff(of: source.path, from: source.text, to: source.ported.text).text)
      } else if check {
        print(source.ported.changes, of: source, as: "to be rewritten")
      }
      if !diff { print(leftToDo(in: source), of: source, as: "by hand") }
    }
    let changes = changed.reduce(0) { $0 + $1.ported.changes.count }
    let obstacles = sources.reduce(0) { $0 + leftToDo(in: $1).count }
    Console.current.note(
      """
      \(Self.count(sources.count, "file")), \(Self.count(changes, "place")) \
      \(check || diff ? "to be rewritten" : "rewritten"), \
      \(obstacles == 0 ? "nothing" : "\(obstacles)") left to do by hand

      """)
    if obstacles > 0 || check && changes > 0 { throw ExitCode(1) }
  }

  /// Returns what has to be changed by hand, with locations in the rewritten file, or in the original file if this
  /// command rewrites nothing.
  private func leftToDo(in source: Source) -> [PortedSource.Remark] {
    check || diff ? source.ported.obstacles : source.ported.remainingObstacles
  }

  private static func count(_ number: Int, _ name: String) -> String {
    "\(number) \(name)\(number == 1 ? "" : "s")"
  }

  private static func read(_ url: URL) throws -> String {
    let data: Data
    do { data = try PlainFile.read(url) } catch {
      throw Diagnostic(.data, "\(url.path) cannot be read: \(error.localizedDescription)")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw Diagnostic(.data, "\(url.path) is not UTF-8")
    }
    return text
  }

  private func write(_ sources: [Source]) throws {
    // All files are checked before the first one is written, so that nothing is rewritten if git
    // cannot restore one of them.
    if !allowUncommitted { try requireRestorable(sources.map(\.url)) }
    for source in sources {
      do {
        try Self.write(source.ported.text, to: source.url)
      } catch {
        throw Diagnostic(
          .data, "\(source.url.path) cannot be written: \(error.localizedDescription)")
      }
      print(source.ported.changes, of: source, as: "rewritten")
    }
  }

  /// Throws if rewriting would destroy text that is in no commit.
  private func requireRestorable(_ files: [URL]) throws {
    let lost = try WorkingTree.unrestorable(of: files)
    if lost.all.isEmpty { return }
    let reason =
      lost.uncommitted.isEmpty
      ? "files to be rewritten are not in a git repository, so git cannot restore them"
      : "files to be rewritten have uncommitted changes that git cannot restore"
    throw Diagnostic(
      .data, "\(reason); nothing was rewritten",
      details: lost.all.map(SwiftSources.shortPath)
        + ["Commit them, make a copy and use --allow-uncommitted, or view the changes with --diff."]
    )
  }

  /// Replaces a file's text atomically and keeps its permissions.
  private static func write(_ text: String, to url: URL) throws {
    // An atomic write replaces the file with a new one, which has the default permissions.
    let permissions =
      try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
    try Data(text.utf8).write(to: url, options: .atomic)
    if let permissions {
      try FileManager.default.setAttributes(
        [.posixPermissions: permissions], ofItemAtPath: url.path)
    }
  }

  private func print(_ remarks: [PortedSource.Remark], of source: Source, as kind: String) {
    for remark in remarks {
      Console.current.output(
        "\(source.path.onOneLine):\(remark.line):\(remark.column): \(kind):"
          + " \(remark.text.onOneLine)\n")
    }
  }
}
