import Foundation

extension NSPersistentStoreCoordinator {
  /// Returns the names of the files that rows of a SQLite store name for their values and that are not beside it as
  /// plain files, in byte order. Every row is read, without large values.
  ///
  /// - Throws: where the store cannot be read, or the folder of its values is none.
  package class func missingFiles(ofStoreAt url: URL) throws -> [String] {
    let url = url.resolvingSymlinksInPath()
    let named = try SQLiteStore.withReadConnection(to: url) { try ExternalFiles.named(on: $0) }
    if named.isEmpty { return [] }
    let present = Set(try ExternalFiles(store: url).names())
    return named.sorted.filter { !ExternalFiles.isPresent($0, among: present) }
  }
}
