/// Identifies a row of a store. All entities of one hierarchy share their keys.
package struct RowKey: Hashable {
  package let root: Int
  package let key: Int64
  package let origin: ObjectIdentifier

  package init(_ layout: EntityLayout, _ key: Int64, _ origin: StoreOrigin) {
    root = layout.rootIndex
    self.key = key
    self.origin = ObjectIdentifier(origin)
  }
}
