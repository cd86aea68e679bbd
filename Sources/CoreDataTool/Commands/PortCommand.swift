import ArgumentParser
import Foundation
import ObjectModel
import SourcePorting
import StoreInspection

/// `coredata port`: rewrites Swift sources so that they build beyond Apple's platforms too.
struct PortCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "port",
    abstract: "Rewrites Swift sources so that they build on Apple's platforms and beyond them.",
    discussion: """
      What is rewritten:
      - @objc, @objcMembers and @IBOutlet go behind #if canImport(ObjectiveC);
      - #keyPath, NSStringFromSelector(#selector(getter:)) and the #selector of a
        comparison become texts;
      - a statement with a cast to NSFetchRequest<…> or
        NSDiffableDataSourceSnapshot<…> is written twice, and makes one of the
        other where there is no Objective-C;
      - overrides and init(context:) leave extensions for their class in the file;
      - initialisers that the library has required say so, and classes that have
        others only get them: managed objects, value transformers, migration policies;
      - a list that is an NSSet becomes NSSet(array: […]), where the sources or a
        model tell the type;
      - protocols of Objective-C stay protocols of classes;
      - import os, import Foundation.ValueTransformer and the like get what stands
        for them, and an import of CoreData that the file lacks is added.
      What has to be rewritten by hand is listed with its place and what to do; the place is one of \
      the file as the command leaves it. A file that is not Swift throughout is left as it is and \
      listed. Rewriting twice changes nothing. Classes are known across all files that are given, and those \
      that are generated from the models of the package or Xcode project that the files are in.
      Files that git cannot restore (with uncommitted changes, or in no repository) are not rewritten, \
      unless --allow-uncommitted is given; nor are those in a repository of another system (Mercurial, \
      Subversion, Jujutsu, …).
      Exit codes: 0 done, and nothing is left; 1 something is left to do by hand, or with --check to be \
      rewritten; 64 and 65 as with all commands.
      """
  )

  @Argument(help: "Swift sources, or folders of them.")
  var paths: [String]

  @Flag(help: "Only say what would be rewritten, and what is left to do by hand.")
  var check = false

  @Flag(help: "Only show what would be rewritten, as a patch.")
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
    if paths.isEmpty { throw ValidationError("give a file or a folder") }
  }

  func run() throws {
    let files = try SwiftSources(at: paths).files
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

  /// What is left to do, with its places in the file as the command leaves it.
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

  /// Throws where rewriting would destroy a text that no commit has.
  private func requireRestorable(_ files: [URL]) throws {
    let lost = try WorkingTree.unrestorable(of: files)
    if lost.all.isEmpty { return }
    let reason =
      lost.uncommitted.isEmpty
      ? "files to be rewritten are in no git repository, so git cannot restore them"
      : "files to be rewritten have changes that git cannot restore"
    throw Diagnostic(
      .data, "\(reason); nothing was rewritten",
      details: lost.all.map(SwiftSources.shortPath)
        + ["Commit them, make a copy and use --allow-uncommitted, or see the changes with --diff."])
  }

  /// Puts a text in the place of a file's in one step, for whoever may read and write that.
  private static func write(_ text: String, to url: URL) throws {
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
