extension URL {
  /// The URL of the file itself, whose path has no symbolic links. The file need not exist.
  ///
  /// SQLite resolves the links in the path of a database, so the journal, the log and the log's index are next to the
  /// file itself, and so are the value files. The functions of an engine of files therefore resolve the links in a URL
  /// before they use its path.
  package var withoutLinks: URL { following(links: Self.mostLinks) }

  /// The number of links after which Linux reports a loop (path_resolution(7)).
  private static let mostLinks = 40

  private func following(links most: Int) -> URL {
    // Foundation resolves no links in the path of a missing file. A link may lead to a file that does not exist until
    // SQLite creates it.
    // A URL without a scheme is a path, too.
    let url = URL(fileURLWithPath: path, isDirectory: false)
    let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
    let file = folder.appendingPathComponent(url.lastPathComponent, isDirectory: false)
    guard most > 0,
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)
    else { return file }
    let path = target.hasPrefix("/") ? target : "\(folder.path)/\(target)"
    return URL(fileURLWithPath: path, isDirectory: false).following(links: most - 1)
  }
}
