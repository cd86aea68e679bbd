/// An engine that can read the versions of rows without their values.
package protocol VersionedEngine: StoreEngine {
  /// Passes the versions of the rows with given keys of a root entity to `body`. Skips missing rows.
  func versions(
    of keys: [Int64], in root: EntityLayout, _ body: (_ key: Int64, _ version: Int32) -> Void
  ) throws
}
