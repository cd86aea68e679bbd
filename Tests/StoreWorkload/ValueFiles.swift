import Foundation

/// The value files of a store, in its folder and in its rows, read without the library.
struct ValueFiles {
  /// The names in the folder, including those of incomplete files.
  let present: Set<String>
  /// The names in the rows.
  let named: Set<String>

  /// The files that no row refers to.
  var unused: Set<String> { present.subtracting(named) }

  init(of url: URL, _ rows: PlainSQL) throws {
    present = Self.present(of: url)
    // A column contains the byte 2 and the name of a file, or the byte 1 and the value itself.
    named = Set(
      try rows.texts(
        "SELECT CAST(SUBSTR(ZPAYLOAD, 2, 36) AS TEXT) FROM ZITEM"
          + " WHERE SUBSTR(ZPAYLOAD, 1, 1) = x'02'"))
  }

  /// Returns the names in the folder; none if it does not exist.
  static func present(of url: URL) -> Set<String> {
    let name = url.deletingPathExtension().lastPathComponent
    let folder = url.deletingLastPathComponent()
      .appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
    return Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
  }
}
