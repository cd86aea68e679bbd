/// Finds the resource bundles of a program's targets.
package enum ProgramResources {
  /// The folders of the resource bundles beside the program, sorted by name.
  package static var folders: [URL] {
    let folder = Bundle.main.bundleURL
    let beside = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // Sorted, because the listing of a folder has no defined order.
    return beside.sorted()
      .filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }
      .map { folder.appendingPathComponent($0) }
  }
}
