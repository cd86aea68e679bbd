/// An engine whose rows have versions that can be asked for by themselves.
package protocol VersionedEngine: StoreEngine {
  /// Gives the versions of the rows of some keys of a root entity; those that are gone are left out.
  func versions(
    of keys: [Int64], in root: EntityLayout, _ body: (_ key: Int64, _ version: Int32) -> Void
  ) throws
}
