import ArgumentParser
import Foundation
import ObjectModel
import StoreInspection

/// The options of the commands that write a file.
struct LinkArguments: ParsableArguments {
  @Flag(help: "If the output path is a symbolic link, write to the file it points to.")
  var followLinks = false

  /// Returns the path to write to: the path itself, or the target of the symbolic link there, whether or not the target
  /// exists. A trailing slash makes no difference.
  ///
  /// - Throws: If the path is a symbolic link and `--follow-links` is missing, because the creator of the link would
  ///   decide which file is overwritten; also if the path is that of a pipe, a device or the like, or if too many links
  ///   follow each other.
  func place(_ path: String) throws(Diagnostic) -> String {
    var place = Self.withoutSlash(path)
    // Follow one link at a time, because the target of a link may be another link, or may not exist yet.
    for _ in 0..<Self.mostLinks {
      guard let kind = FileKind(path: place, followingLinks: false), kind != .plainFile,
        kind != .folder
      else { return place }
      guard kind == .link else {
        throw Diagnostic(.usage, "'\(place)' is \(kind.phrase); nothing was written")
      }
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place)
      guard followLinks, let target else {
        throw Diagnostic(
          .usage,
          "'\(place)' is a symbolic link\(target.map { " to '\($0)'" } ?? ""); nothing was written",
          details: [
            "Name the file itself, or use --follow-links to write to the target of the link."
          ])
      }
      let isAbsolute = target.hasPrefix("/")
      place = Self.withoutSlash(isAbsolute ? target : "\(Self.folder(of: place))/\(target)")
    }
    throw Diagnostic(
      .usage, "'\(path)' is a symbolic link that points to itself, or to too many other links")
  }

  /// Throws if something exists at a path, unless it may be replaced.
  func requireFree(_ path: String, orReplacing force: Bool) throws(Diagnostic) {
    guard force || FileKind(path: path) == nil else {
      throw Diagnostic(
        .usage, "'\(path)' already exists", details: ["Use --force to replace it."])
    }
  }

  /// Returns a path without trailing slashes, because the system follows a link whose path ends in one.
  private static func withoutSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    return path
  }

  /// Returns the real path of the folder that contains a path: ".." in a link's target is relative to that folder.
  private static func folder(of path: String) -> String {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? "."
    guard let real = realpath(folder, nil) else { return folder }
    defer { free(real) }
    return String(cString: real)
  }

  /// The number of links in a row that Linux follows before it reports a loop.
  private static let mostLinks = 40
}
