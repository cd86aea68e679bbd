import Foundation
import StoreInspection

/// The scripts and styles of the pages.
struct ClientFiles: Sendable {
  private static let types = [
    "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
  ]

  /// The names of the resource folder in the build, on Linux and on Apple's platforms.
  private static let bundles = [
    "OpenCoreData_CoreDataExplorer.resources", "OpenCoreData_CoreDataExplorer.bundle",
  ]

  /// The folders that may contain the folder with the files: the program's folder, with and without following symbolic
  /// links, and the folders of the bundles, because tests are loaded as a bundle.
  private static var places: [URL] {
    let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    let code = Bundle(for: Marker.self).bundleURL
    return [
      program.resolvingSymlinksInPath().deletingLastPathComponent(),
      program.deletingLastPathComponent(), Bundle.main.bundleURL, code,
      code.deletingLastPathComponent(),
    ]
  }

  private final class Marker {}

  private let folder: URL
  /// The address of the files, which changes with their contents, so that browsers may cache them forever.
  let address: String

  /// - Parameter places: The folders that may contain the folder with the files.
  /// - Throws: ``Diagnostic`` if none of them does.
  init(in places: [URL] = Self.places) throws {
    // `Bundle.module` would end the program if the folder is missing.
    let folders = places.flatMap { place in
      Self.bundles.map { place.appendingPathComponent($0).appendingPathComponent("Client") }
    }
    guard
      let folder = folders.first(where: {
        FileManager.default.fileExists(atPath: $0.appendingPathComponent("main.js").path)
      }),
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    else {
      throw Diagnostic(
        .data, "the explorer's pages are missing",
        details: [
          "Copy the folder \(Self.bundles[0]), which the build creates beside the program, to \(places[0].path)."
        ])
    }
    self.folder = folder
    // FNV-1a, because `Hasher` would use another seed at each start.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let paths = files.compactMap { $0 as? URL }.filter { Self.types[$0.pathExtension] != nil }
    for file in paths.sorted(by: { $0.path < $1.path }) {
      for byte in try Data(contentsOf: file) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    address = "/client/\(String(hash, radix: 36))"
  }

  /// Returns the file at a path. Only plain names are accepted, so no path leads outside of the folder.
  func response(_ path: ArraySlice<String>) throws -> WebResponse {
    let isPlain = path.allSatisfy { !$0.hasPrefix(".") && !$0.contains("/") && !$0.contains("\0") }
    // The first part identifies the contents of all files.
    let file = path.dropFirst().reduce(folder) { $0.appendingPathComponent($1) }
    guard isPlain, let type = Self.types[file.pathExtension],
      let data = try? Data(contentsOf: file)
    else { throw WebFailure.notFound("there is no such file") }
    return WebResponse(
      type: type, headers: [("Cache-Control", "private, max-age=31536000, immutable")],
      body: .data(data))
  }
}
