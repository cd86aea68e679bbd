/// The permanent ID that an unsaved object gets in the place of its temporary one.
struct PermanentIDAssignment {
  let layout: EntityLayout
  let temporary: Int64
  let key: Int64
  let origin: StoreOrigin

  /// The permanent ID as an object.
  var id: NSManagedObjectID { NSManagedObjectID(layout: layout, key: key, origin: origin) }
}
