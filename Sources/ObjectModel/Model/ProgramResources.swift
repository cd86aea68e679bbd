/// Where the package manager puts the resources of a program's targets.
package enum ProgramResources {
  /// The folders of resource bundles beside the program, by name.
  package static var folders: [URL] {
    let folder = Bundle.main.bundleURL
    let beside = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return beside.sorted()
      .filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }
      .map { folder.appendingPathComponent($0) }
  }
}
