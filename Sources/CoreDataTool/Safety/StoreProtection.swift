import Foundation
import StoreInspection

/// Finds the reasons not to write to a store. The user can override them with an option.
enum StoreProtection {
  /// Returns the reasons against writing to the store at a path, one sentence each; empty if there are none.
  ///
  /// There are two: the store belongs to a photo library, whose program expects to be the only writer and keeps the
  /// files beside the store in sync; or another process has the store open, and may have objects in memory that it
  /// will save over the changes of the tool.
  static func reasonsAgainstWriting(to path: String) -> [String] {
    var reasons: [String] = []
    if let library = photoLibrary(containing: path) {
      reasons.append(
        "It belongs to the photo library '\(library)', which only Photos should write.")
    }
    let users = StoreUsers.processes(using: path)
    if !users.isEmpty {
      let names = users.map(\.description).joined(separator: ", ")
      reasons.append("Another process has it open: \(names).")
    }
    return reasons
  }

  /// Returns the name of the photo library that contains a path, directly or behind symbolic links.
  static func photoLibrary(containing path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    // A file that does not exist yet has no links to resolve, but its folder may.
    let places = [
      url, url.resolvingSymlinksInPath(), url.deletingLastPathComponent().resolvingSymlinksInPath(),
    ]
    return places.lazy.compactMap { place in
      place.pathComponents.last { $0.lowercased().hasSuffix(".photoslibrary") }
    }.first
  }
}
