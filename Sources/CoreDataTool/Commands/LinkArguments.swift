import ArgumentParser
import Foundation
import ObjectModel
import StoreInspection

/// What the commands take that write a file at a place.
struct LinkArguments: ParsableArguments {
  @Flag(help: "Where the place to write to is a symbolic link: write to the file that it leads to.")
  var followLinks = false

  /// Where to write that a path names: the path itself, or what a symbolic link there leads to, be it there or not.
  ///
  /// - Throws: where the path is a link and nobody said that it is to be followed: who made it decides what is
  ///   written to.
  func place(_ path: String) throws(Diagnostic) -> String {
    var place = path
    for _ in 0..<Self.mostLinks {
      guard FileKind(path: place, followingLinks: false) == .link else { return place }
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place)
      guard followLinks, let target else {
        throw Diagnostic(
          .usage,
          "'\(place)' is a symbolic link\(target.map { " to '\($0)'" } ?? ""); nothing was written",
          details: ["Name the file itself, or use --follow-links to write where the link leads."])
      }
      place = URL(fileURLWithPath: target, relativeTo: URL(fileURLWithPath: place)).path
    }
    throw Diagnostic(.usage, "'\(path)' is a symbolic link that leads to itself")
  }

  /// As many as the system follows.
  private static let mostLinks = 40
}
