import Foundation
import ObjectModel
import StoreEngine

/// The file that a rollback journal may refer to at its end: the super-journal of a transaction over several databases
/// (sqlite.org/atomiccommit.html, "Multi-file Commit").
///
/// SQLite opens and removes this file when it rolls the journal back, whatever file it is. Core Data and this library
/// attach no databases, so they make no such journals.
enum SuperJournal {
  /// The maximum length of a name. It is more than enough, because SQLite ignores names that are longer than its file
  /// system supports (`mxPathname`): 512 bytes on Unix.
  private static let longestName = 4_096

  /// The number of bytes after the name: its length, its checksum, and the bytes with which each journal begins.
  private static let recordSize = 16

  /// Throws an error if SQLite would remove a file that the journal next to a database refers to. Call it before the
  /// database is opened by a connection that rolls journals back.
  ///
  /// A journal whose transaction has ended counts, too: a later rollback would find the name at its end.
  static func requireNone(besides path: String) throws {
    guard let name = name(besides: path) else { return }
    let journal = path + "-journal"
    throw StoreErrors.damaged(
      URL(fileURLWithPath: path),
      "its rollback journal \(URL(fileURLWithPath: journal).lastPathComponent) refers to the file \(name), which SQLite"
        + " would remove; Core Data makes no such journals, so complete the transaction with the program that began"
        + " it, or move the journal elsewhere")
  }

  /// Returns the name at the end of the journal next to a database; nil if there is none.
  static func name(besides path: String) -> String? { name(atEndOf: end(of: path + "-journal")) }

  /// Returns the name at the end of a journal; nil if there is none.
  ///
  /// Like SQLite, this checks only the end of the journal (pager.c, `readSuperJournal`).
  private static func name(atEndOf bytes: [UInt8]) -> String? {
    let end = bytes.count - recordSize
    guard end >= 0, bytes[(end + 8)...].elementsEqual(RolledBackPages.magic) else { return nil }
    func number(_ place: Int) -> UInt32 {
      bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let count = Int(number(end))
    guard count <= min(end, longestName) else { return nil }
    let name = bytes[end - count..<end]
    // SQLite adds values of the type `char`, which is signed on some processors and unsigned on others.
    let sums = [
      name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) },
      name.reduce(UInt32(0)) { $0 &+ UInt32($1) },
    ]
    // In C, a zero ends the name.
    let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    return sums.contains(number(end + 4)) && !text.isEmpty ? text : nil
  }

  /// Returns the last bytes of a journal; empty if it cannot be read.
  private static func end(of journal: String) -> [UInt8] {
    // Pass O_NONBLOCK, because opening a pipe would wait for its writer.
    let file = UntimedFile.open(journal, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, FileKind(mode: status.st_mode) == .plainFile else { return [] }
    let size = Int(status.st_size)
    var bytes = [UInt8](repeating: 0, count: min(size, longestName + recordSize))
    let count = bytes.count
    return pread(file, &bytes, count, off_t(size - count)) == count ? bytes : []
  }
}
