import StoreEngine

/// Looks at a store's file before SQLite does, so that nothing is written to a file that is
/// something else, and the message says what is wrong.
struct StoreFile {
  let url: URL
  let exists: Bool
  let isEmpty: Bool
  /// The header says that the file belongs with a write-ahead log.
  let isWAL: Bool
  /// The number that the header gives to the program that the file belongs to.
  let applicationID: Int64
  /// Size of the log beside the file; nil without one.
  let walSize: Int?

  private static let magic = Array("SQLite format 3\0".utf8)

  init(_ url: URL) throws {
    self.url = url
    exists = try StoreLocation.requirePlainFile(url)
    for suffix in ["-wal", "-shm", "-journal"] { try StoreLocation.requirePlainFile(url, suffix) }
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
    guard header.count == 100 else {
      throw StoreErrors.damaged(url, "the file is cut short inside its header")
    }
    isWAL = header[18] == 2
    applicationID = header[68..<72].reduce(0) { $0 << 8 | Int64($1) }
    // What is looked at is not locked, so both before and after.
    if wasBeingWritten || Self.isBeingWritten(url) { return }
    try Self.checkSize(size, header, url)
  }

  private static func size(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }

  /// Whether a log or journal with content is beside the file. Pages that the header counts may then
  /// be there alone: a checkpoint writes the first page first, and one that a reader stops leaves
  /// the file shorter than its header says.
  private static func isBeingWritten(_ url: URL) -> Bool {
    ["-wal", "-journal"].contains { (size(url.path + $0) ?? 0) > 0 }
  }

  /// A file may be shorter than its header says only when it was cut.
  private static func checkSize(_ size: Int, _ header: [UInt8], _ url: URL) throws {
    func big(_ offset: Int) -> Int {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let stated = Int(header[16]) << 8 | Int(header[17])
    let pageSize = stated == 1 ? 65_536 : stated
    let pages = big(28)
    // The count is right when the two change counters agree.
    guard big(24) == big(92), pages > 0, size < pages * pageSize else { return }
    throw StoreErrors.damaged(
      url, "the file is cut short: \(size) of \(pages * pageSize) bytes are there")
  }

  /// Whether files can be made beside the store.
  var folderIsWritable: Bool {
    access(url.deletingLastPathComponent().path, W_OK) == 0
  }
}
