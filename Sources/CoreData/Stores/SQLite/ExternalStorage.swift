import Foundation
import ObjectModel

/// The bytes of attributes that may be kept outside the store's file.
///
/// Such a column begins with a mark: 1, and the bytes follow; 2, and the name of a file in
/// `.<store>_SUPPORT/_EXTERNAL_DATA` follows. What this library writes always follows the mark.
struct ExternalStorage: Sendable {
  private enum Mark {
    static let inline: UInt8 = 1
    static let file: UInt8 = 2
  }

  /// The folder of the files.
  let folder: URL

  init(store url: URL) {
    folder = Self.supportFolder(of: url)
      .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
  }

  /// The folder beside a store's file for what is not in it.
  static func supportFolder(of url: URL) -> URL {
    let name = url.deletingPathExtension().lastPathComponent
    return url.deletingLastPathComponent()
      .appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
  }

  /// Whether an attribute's column has a mark before its bytes.
  static func isMarked(_ slot: PropertySlot) -> Bool {
    (slot.property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
  }

  /// The value of a column; nil when it names a file that is gone, which is logged.
  func value(_ column: UnsafeRawBufferPointer) -> Data? {
    switch column.first {
    case Mark.inline: return Data(column.dropFirst())
    case Mark.file:
      // A UUID as text and a zero.
      let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
      guard UUID(uuidString: name) != nil else { return Data(column) }
      do {
        return try Data(contentsOf: folder.appendingPathComponent(name))
      } catch {
        Log.storeError(
          "the externally stored value \(folder.path)/\(name) cannot be read:"
            + " \(error.localizedDescription)")
        return nil
      }
    // Written before the attribute allowed external storage.
    default: return Data(column)
    }
  }

  /// What a column of such an attribute keeps for a value.
  static func marked(_ data: Data) -> Data { Data([Mark.inline]) + data }
}
