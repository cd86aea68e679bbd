import Foundation
import StoreInspection

/// Whether this tool should leave a store alone unless told otherwise.
enum StoreProtection {
  /// Why the store at a path should not be written, one sentence each; empty where nothing speaks
  /// against it.
  ///
  /// Two things do: the store belongs to a photo library, whose program expects to be the only
  /// writer and keeps files beside it in step; or another process has the store open, and may hold
  /// objects in memory that it will save over what is written here.
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

  /// The name of the photo library a path lies in, directly or behind symbolic links.
  static func photoLibrary(containing path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    // A file that is still to be made has no links to resolve, but its folder may.
    let places = [
      url, url.resolvingSymlinksInPath(), url.deletingLastPathComponent().resolvingSymlinksInPath(),
    ]
    return places.lazy.compactMap { place in
      place.pathComponents.last { $0.lowercased().hasSuffix(".photoslibrary") }
    }.first
  }
}
