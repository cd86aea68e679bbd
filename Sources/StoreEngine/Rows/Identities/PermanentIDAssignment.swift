/// The permanent ID that replaces the temporary ID of an object.
package struct PermanentIDAssignment {
  package let layout: EntityLayout
  package let temporary: Int64
  package let key: Int64
  package let origin: StoreOrigin

  package init(layout: EntityLayout, temporary: Int64, key: Int64, origin: StoreOrigin) {
    self.layout = layout
    self.temporary = temporary
    self.key = key
    self.origin = origin
  }

  /// The permanent ID as an object.
  package var id: NSManagedObjectID { NSManagedObjectID(layout: layout, key: key, origin: origin) }
}
