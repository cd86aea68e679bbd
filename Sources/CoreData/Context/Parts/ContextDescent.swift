/// The properties of a context that depend on its source: a coordinator or a parent.
struct ContextDescent {
  let isChild: Bool
  /// The coordinator's layouts; nil for a child.
  let layouts: ModelLayout?
  /// The coordinator's layouts for code that creates millions of objects. Not retained, because retaining an object to
  /// which weak references exist is slow.
  let unretainedLayouts: Unmanaged<ModelLayout>?

  init(of source: (any ObjectSource)? = nil) {
    isChild = source is NSManagedObjectContext
    layouts = (source as? NSPersistentStoreCoordinator)?.layouts
    unretainedLayouts = layouts.map(Unmanaged.passUnretained)
  }
}
