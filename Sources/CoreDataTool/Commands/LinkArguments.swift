import ArgumentParser
import Foundation
import ObjectModel
import StoreInspection

/// What the commands take that write a file at a place.
struct LinkArguments: ParsableArguments {
  @Flag(help: "Where the place to write to is a symbolic link: write to the file that it leads to.")
  var followLinks = false

  /// Where to write that a path names: the path itself, or what a symbolic link there leads to, be it there or not.
  /// A slash at the end changes nothing.
  ///
  /// - Throws: where the path is a link that is not to be followed: who made it would decide what is written to; and
  ///   where a pipe, a device or the like is there.
  func place(_ path: String) throws(Diagnostic) -> String {
    var place = Self.withoutSlash(path)
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
          details: ["Name the file itself, or use --follow-links to write where the link leads."])
      }
      let isAbsolute = target.hasPrefix("/")
      place = Self.withoutSlash(isAbsolute ? target : "\(Self.folder(of: place))/\(target)")
    }
    throw Diagnostic(.usage, "'\(path)' is a symbolic link that leads to itself")
  }

  /// Throws where something is at a path, unless it may be replaced.
  func requireFree(_ path: String, orReplacing force: Bool) throws(Diagnostic) {
    guard force || FileKind(path: path) == nil else {
      throw Diagnostic(
        .usage, "'\(path)' is there already", details: ["Say --force to replace it."])
    }
  }

  /// A path without slashes at its end, with which the system would follow a link.
  private static func withoutSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    return path
  }

  /// The folder that a path's last name is in, without links: ".." in the target of a link leads up from there.
  private static func folder(of path: String) -> String {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? "."
    guard let real = realpath(folder, nil) else { return folder }
    defer { free(real) }
    return String(cString: real)
  }

  /// As many as the system follows.
  private static let mostLinks = 40
}
