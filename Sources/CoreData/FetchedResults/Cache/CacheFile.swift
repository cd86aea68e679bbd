/// The files of fetched results caches: one for each program, cache name and store, in the user's folder for caches.
enum CacheFile {
  private static var folder: URL {
    let caches =
      FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    return caches.appendingPathComponent("CoreData/FetchedResults")
      .appendingPathComponent(component(ProcessInfo.processInfo.processName))
  }

  static func url(_ name: String, store identifier: String) -> URL {
    folder.appendingPathComponent(component(name))
      .appendingPathComponent(component(identifier) + ".results")
  }

  /// Removes the caches with a name, for all stores. Removes all caches of the program if the name is nil.
  static func remove(_ name: String?) {
    let url = name.map { folder.appendingPathComponent(component($0)) } ?? folder
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      Log.contextNotice("cannot remove the cache \(url.path): \(error.localizedDescription)")
    }
  }

  /// Encodes any name as a path component.
  private static func component(_ name: String) -> String {
    let plain = name.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
    // An empty name must not result in an empty component. No other name is encoded as "%".
    if plain.utf8.count <= 120 { return plain.isEmpty ? "%" : plain }
    // File names are limited to 255 bytes, so a long name is shortened. "%%" marks it: other names do not contain "%%",
    // because "%" is encoded.
    return String(plain.prefix(100)) + "%%" + String(Checksum.of(Array(name.utf8)), radix: 16)
  }
}
