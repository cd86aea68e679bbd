import Foundation
import ObjectModel
import StoreEngine

/// The content that a rollback journal restores in a database: the pages before an unfinished transaction, and the
/// size of the database at that time (sqlite.org/fileformat2.html, "The Rollback Journal").
///
/// A connection that can write restores these pages when it opens the database. A reader that must not change the
/// file reads them instead of the file's pages.
struct RolledBackPages {
  let pageSize: Int
  /// The size of the database in bytes.
  let size: Int
  private let pages: [UInt32: [UInt8]]

  /// The first bytes of a journal.
  static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
  /// The maximum size of a journal. A journal is read into memory, and an untrusted one can have any size.
  private static let mostBytes = 1 << 30

  /// Reads the journal next to a database. Returns nil if there is no journal, or if it must not be
  /// rolled back.
  ///
  /// - Throws: If the journal cannot be read, or must be rolled back and has more than 1 GB. Without the journal, the
  ///   file's pages may be those of an unfinished transaction.
  init?(besides path: String) throws {
    guard let bytes = try Self.content(besides: path) else { return nil }
    func number(_ place: Int) -> UInt32 {
      bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard bytes.count >= 28, bytes.starts(with: Self.magic) else { return nil }
    let sector = Int(number(20))
    let pageSize = Int(number(24))
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0,
      (32...65_536).contains(sector), sector & (sector - 1) == 0
    else { return nil }
    var pages: [UInt32: [UInt8]] = [:]
    var place = 0
    // There is a section for each time that the journal was synced to the disk.
    parts: while place + 28 <= bytes.count, bytes[place..<place + 8].elementsEqual(Self.magic) {
      let nonce = number(place + 12)
      var remaining = number(place + 8)
      place += sector
      // The page count of a section is zero until SQLite has synced the section. The maximum, which SQLite writes if it
      // does not sync, means that the section extends to the end of the journal.
      while remaining > 0, place + pageSize + 8 <= bytes.count {
        let page = bytes[place + 4..<place + 4 + pageSize]
        let key = number(place)
        // Like SQLite, stops at a page that was not completely written to the journal.
        guard Self.checksum(page, nonce) == number(place + 4 + pageSize), key > 0 else {
          break parts
        }
        if pages[key] == nil { pages[key] = Array(page) }
        place += pageSize + 8
        if remaining != .max { remaining -= 1 }
      }
      if remaining > 0 { break }
      place = (place + sector - 1) / sector * sector
    }
    self.pages = pages
    self.pageSize = pageSize
    size = Int(number(16)) * pageSize
  }

  /// Returns the bytes of the journal next to a database; nil if there is none, or none that must be rolled back.
  private static func content(besides path: String) throws -> [UInt8]? {
    let journal = path + "-journal"
    // Pass O_NONBLOCK, because opening a pipe would wait for its writer.
    let file = UntimedFile.open(journal, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw FileErrors.failure("read", journal)
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FileErrors.failure("read", journal) }
    guard FileKind(mode: status.st_mode) == .plainFile else {
      throw unusable(path, "is not a regular file")
    }
    var start = [UInt8](repeating: 0, count: magic.count)
    let count = pread(file, &start, magic.count, 0)
    guard count >= 0 else { throw FileErrors.failure("read", journal) }
    // The journal of a transaction that has ended can remain, with a beginning of zeros (sqlite.org/pragma.html,
    // "PRAGMA journal_mode", PERSIST), and can have any size.
    guard start == magic, isDue(besides: path) else { return nil }
    guard status.st_size <= mostBytes else {
      throw unusable(
        path,
        "has \(status.st_size) bytes, and more than \(mostBytes) cannot be read without changing the store; open"
          + " the store for writing once, so that SQLite rolls back the unfinished transaction")
    }
    do { return [UInt8](try handle.readToEnd() ?? Data()) } catch {
      throw unusable(path, "cannot be read", cause: error)
    }
  }

  private static func unusable(
    _ path: String, _ reason: String, cause: (any Error)? = nil
  ) -> NSError {
    CoreDataError.make(
      NSPersistentStoreOpenError,
      "cannot read \(path): its rollback journal \(path)-journal \(reason)", at: path, cause: cause)
  }

  private static func checksum(_ page: ArraySlice<UInt8>, _ nonce: UInt32) -> UInt32 {
    // SQLite adds every 200th byte only, beginning at the end.
    stride(from: page.count - 200, to: 0, by: -200).reduce(nonce) {
      $0 &+ UInt32(page[page.startIndex + $1])
    }
  }

  /// Returns whether the journal next to a database must be rolled back. Without its super-journal, a journal is obsolete.
  private static func isDue(besides path: String) -> Bool {
    guard let superJournal = SuperJournal.name(besides: path) else { return true }
    return access(superJournal, F_OK) == 0
  }

  /// Replaces the bytes of restored pages in a buffer that was read from the database.
  ///
  /// - Parameters:
  ///   - buffer: The bytes of the file.
  ///   - offset: The position of the bytes in the file.
  ///   - wasRead: Whether the file had bytes for the whole buffer.
  /// - Returns: Whether all bytes of the buffer are valid: read from the file, or restored.
  func put(into buffer: UnsafeMutableRawBufferPointer, from offset: Int, wasRead: Bool) -> Bool {
    var isWhole = true
    var place = offset
    let end = offset + buffer.count
    while place < end {
      let page = place / pageSize
      let next = min(end, (page + 1) * pageSize)
      if let old = pages[UInt32(truncatingIfNeeded: page + 1)] {
        old.withUnsafeBytes { bytes in
          let part = bytes[(place - page * pageSize)..<(next - page * pageSize)]
          UnsafeMutableRawBufferPointer(rebasing: buffer[(place - offset)..<(next - offset)])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
        }
      } else if !wasRead {
        isWhole = false
      }
      place = next
    }
    return isWhole
  }
}
