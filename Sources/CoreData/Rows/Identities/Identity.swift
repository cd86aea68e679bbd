/// The ID that an unsaved object gets.
struct Identity {
  let layout: EntityLayout
  let temporary: Int64
  let key: Int64
  let origin: StoreOrigin

  /// The permanent ID.
  var id: NSManagedObjectID { NSManagedObjectID(layout: layout, key: key, origin: origin) }
}
