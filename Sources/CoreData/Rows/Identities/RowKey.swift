/// Names a row across the entities of one table.
struct RowKey: Hashable {
  let root: Int
  let key: Int64
  let origin: ObjectIdentifier

  init(_ layout: EntityLayout, _ key: Int64, _ origin: StoreOrigin) {
    root = layout.rootIndex
    self.key = key
    self.origin = ObjectIdentifier(origin)
  }
}
