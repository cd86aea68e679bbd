import StoreEngine

/// Checks a store's file before SQLite opens it, so that a file that is not a store remains unchanged, and the error
/// describes what is wrong with it.
struct StoreFile {
  /// The URL of the file, whose path has no links.
  let url: URL
  let exists: Bool
  let isEmpty: Bool
  /// Whether the header says that the file uses a write-ahead log.
  let isWAL: Bool
  /// The application ID in the header.
  let applicationID: Int64
  /// The size of the log next to the file; nil if there is none.
  let walSize: Int?

  private static let magic = Array("SQLite format 3\0".utf8)

  /// - Parameter acceptsTruncation: Whether the file may be shorter than its header says.
  init(_ url: URL, acceptsTruncation: Bool = false) throws {
    self.url = url
    exists = try StoreLocation.requirePlainFile(url)
    try Self.requirePlainSideFiles(url)
    walSize = Self.size(url.path + "-wal")
    let wasBeingWritten = Self.isBeingWritten(url)
    guard exists else {
      isEmpty = true
      isWAL = false
      applicationID = 0
      return
    }
    let (header, size) = try StoreBytes.withBytes(of: url) {
      ([UInt8](try $0.first(100)), $0.count)
    }
    isEmpty = size == 0
    if isEmpty {
      isWAL = false
      applicationID = 0
      return
    }
    guard header.count >= 16, Array(header[..<16]) == Self.magic else {
      throw StoreErrors.notAStore(url, "it is not a SQLite file")
    }
    guard header.count == 100 || acceptsTruncation else {
      throw StoreErrors.damaged(url, "the file is truncated within its header")
    }
    // The offsets and values are those of sqlite.org/fileformat2.html, "The Database Header".
    isWAL = header.count > 18 && header[18] == 2
    applicationID = header.count < 72 ? 0 : header[68..<72].reduce(0) { $0 << 8 | Int64($1) }
    // The file is not locked while it is read, so check for writes before and after reading it.
    if acceptsTruncation || wasBeingWritten || Self.isBeingWritten(url) { return }
    try Self.checkSize(size, header, url)
  }

  private static func requirePlainSideFiles(_ url: URL) throws {
    for suffix in ["-wal", "-shm", "-journal"] { try StoreLocation.requirePlainFile(url, suffix) }
  }

  /// Throws an error if SQLite cannot write a database, which need not exist, because of the files next to it.
  static func requireUsableSideFiles(_ url: URL) throws {
    try requirePlainSideFiles(url)
    try SuperJournal.requireNone(besides: url.path)
  }

  private static func size(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }

  /// Returns whether there is a log or journal with content next to the file.
  static func isBeingWritten(_ url: URL) -> Bool {
    // Some pages may be only in the log or journal. A checkpoint writes the first page first, so if a
    // reader interrupts the checkpoint, the file is shorter than its header says.
    ["-wal", "-journal"].contains { (size(url.path + $0) ?? 0) > 0 }
  }

  /// Throws an error if a file is shorter than its header says, because it was truncated.
  private static func checkSize(_ size: Int, _ header: [UInt8], _ url: URL) throws {
    func big(_ offset: Int) -> Int {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let stated = Int(header[16]) << 8 | Int(header[17])
    // The value 1 represents 65,536, which does not fit into two bytes.
    let pageSize = stated == 1 ? 65_536 : stated
    let pages = big(28)
    // The page count is valid if the two change counters agree.
    guard big(24) == big(92), pages > 0, size < pages * pageSize else { return }
    throw StoreErrors.damaged(
      url, "the file is truncated to \(size) of \(pages * pageSize) bytes")
  }

  /// Whether files can be created next to the store.
  var folderIsWritable: Bool {
    access(url.deletingLastPathComponent().path, W_OK) == 0
  }
}
