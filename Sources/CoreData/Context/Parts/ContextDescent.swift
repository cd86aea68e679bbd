/// What follows from where a context's objects come from: a coordinator, or a parent.
struct ContextDescent {
  let isChild: Bool
  /// The coordinator's layouts, of a context that is no child.
  let layouts: ModelLayout?
  /// The same, for who makes objects by the million: retaining what weak references lead to takes long.
  let unretainedLayouts: Unmanaged<ModelLayout>?

  init(of source: (any ObjectSource)? = nil) {
    isChild = source is NSManagedObjectContext
    layouts = (source as? NSPersistentStoreCoordinator)?.layouts
    unretainedLayouts = layouts.map(Unmanaged.passUnretained)
  }
}
