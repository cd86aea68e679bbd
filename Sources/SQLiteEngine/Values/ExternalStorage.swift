import Synchronization
import StoreEngine

/// The bytes of attributes that can be stored outside of the store's file.
///
/// The value of such a column begins with a mark: 1 is followed by the bytes, 2 by the name of a file in
/// `.<store>_SUPPORT/_EXTERNAL_DATA`. A file is written once and never changed: another value gets another file.
struct ExternalStorage: ExternalValues {
  private enum Mark {
    static let inline: UInt8 = 1
    static let file: UInt8 = 2
  }

  /// The size above which values are put into files. Apple's Core Data does so from about 100 KB on.
  static let threshold = 128 << 10

  /// The file of the store.
  let store: URL
  /// The folder of the value files.
  let folder: URL
  /// The errors of unreadable values.
  let failures = ExternalFailures()

  init(store url: URL) {
    store = url
    folder = Self.supportFolder(of: url)
      .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
  }

  /// Returns the folder next to a store's file for data outside of it.
  static func supportFolder(of url: URL) -> URL {
    let name = url.deletingPathExtension().lastPathComponent
    return url.deletingLastPathComponent()
      .appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
  }

  /// Returns the name of the file in a column's bytes: a UUID as text, usually followed by a zero. Nil if the bytes
  /// refer to no file.
  static func fileName(in column: some Collection<UInt8>) -> String? {
    guard column.first == Mark.file, column.count <= 64 else { return nil }
    let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    return ExternalFiles.isName(name) ? name : nil
  }

  func value(_ column: UnsafeRawBufferPointer) -> Data? {
    if let name = Self.fileName(in: column) {
      do {
        return try ExternalFiles(store: store).bytes(name)
      } catch {
        failures.note(error)
        Log.storeError(
          "the externally stored value \(folder.path)/\(name) cannot be read:"
            + " \(error.localizedDescription)")
        return nil
      }
    }
    // A value without a mark was written before the attribute allowed external storage.
    return column.first == Mark.inline ? Data(column.dropFirst()) : Data(column)
  }

  func beginning(_ column: UnsafeRawBufferPointer, _ count: Int) -> (size: Int, first: Data)? {
    Self.fileName(in: column).flatMap { try? ExternalFiles(store: store).beginning($0, count) }
  }

  /// Returns the bytes of a column whose value is stored in the row.
  static func marked(_ data: Data) -> Data { Data([Mark.inline]) + data }

  /// Returns the bytes of a column whose value is stored in a file.
  static func marked(fileName: String) -> Data { Data([Mark.file]) + Data(fileName.utf8) + [0] }
}

/// Records the first error that occurred when a value in a file was read. A context returns such a value as nil, but an
/// operation that copies all values must fail.
final class ExternalFailures: Sendable {
  private let first = Mutex<(any Error)?>(nil)

  func note(_ error: any Error) {
    first.withLock { $0 = $0 ?? error }
  }

  /// - Throws: The first error.
  func check() throws {
    if let error = first.withLock({ $0 }) { throw error }
  }
}
