import Testing

@testable import SQLiteEngine

/// Source: `pragma.c` of SQLite 3.45, which has the texts of the messages.
@Suite struct IntegrityMessageTests {
  @Test(arguments: [
    "row 3 missing from index Z_Player_byName", "row 3 values differ from index Z_Player_byName",
    "rowid not at end-of-record for row 3 of index Z_Player_byName",
    "wrong # of entries in index Z_Player_byName",
  ])
  func `A message about an index means that REINDEX repairs the file`(message: String) {
    #expect(IntegrityCheck.isOfIndex(message))
  }

  @Test(arguments: [
    "Tree 4 page 7: btreeInitPage() returns error code 11", "NULL value in ZPLAYER.ZNAME",
    "non-unique entry in index Z_Player_UNIQUE_name", "Page 5: never used",
  ])
  func `Any other message means damage that REINDEX does not repair`(message: String) {
    #expect(!IntegrityCheck.isOfIndex(message))
  }
}
