import Synchronization
import StoreEngine

/// The bytes of attributes that may be kept outside the store's file.
///
/// Such a column begins with a mark: 1, and the bytes follow; 2, and the name of a file in
/// `.<store>_SUPPORT/_EXTERNAL_DATA` follows. A file is written once and never changed: another value
/// has another file.
struct ExternalStorage: ExternalValues {
  private enum Mark {
    static let inline: UInt8 = 1
    static let file: UInt8 = 2
  }

  /// Values with more bytes than this get a file; Apple's do from about 100 KB on.
  static let threshold = 128 << 10

  /// The store's file.
  let store: URL
  /// The folder of the files.
  let folder: URL
  /// What could not be read so far.
  let failures = ExternalFailures()

  init(store url: URL) {
    store = url
    folder = Self.supportFolder(of: url)
      .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
  }

  /// The folder beside a store's file for what is not in it.
  static func supportFolder(of url: URL) -> URL {
    let name = url.deletingPathExtension().lastPathComponent
    return url.deletingLastPathComponent()
      .appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
  }

  /// The name of the file that a column's bytes stand for: a UUID as text, with a zero behind it.
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
    // Without a mark it was written before the attribute allowed external storage.
    return column.first == Mark.inline ? Data(column.dropFirst()) : Data(column)
  }

  func beginning(_ column: UnsafeRawBufferPointer, _ count: Int) -> (size: Int, first: Data)? {
    Self.fileName(in: column).flatMap { try? ExternalFiles(store: store).beginning($0, count) }
  }

  /// What a column of such an attribute keeps for a value beside its row.
  static func marked(_ data: Data) -> Data { Data([Mark.inline]) + data }

  /// What a column keeps for a value in a file.
  static func marked(fileName: String) -> Data { Data([Mark.file]) + Data(fileName.utf8) + [0] }
}

/// Whether values of a store that are kept in files could not be read. A context shows such a value as nil;
/// who copies all values has to know.
final class ExternalFailures: Sendable {
  private let first = Mutex<(any Error)?>(nil)

  func note(_ error: any Error) {
    first.withLock { $0 = $0 ?? error }
  }

  /// - Throws: the first failure.
  func check() throws {
    if let error = first.withLock({ $0 }) { throw error }
  }
}
