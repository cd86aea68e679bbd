extension RelationshipDependency {
  /// Returns the objects that are at the end of this chain and whose changes may affect the result.
  ///
  /// - Parameter areOther: Returns whether at least one of the given slots of the object may have changed.
  func ends(
    among objects: some Sequence<NSManagedObject>,
    where areOther: (_ object: NSManagedObject, _ slots: Set<Int>) -> Bool
  ) -> [NSManagedObject] {
    objects.filter { object in
      object.layout.isKind(of: end) && (reads.map { areOther(object, $0) } ?? true)
    }
  }

  /// Returns the objects of a context that lead through these steps to `objects`, which are at the end of the chain.
  ///
  /// They are found through inverse relationships; a step without an inverse requires a query.
  func roots(
    of objects: [NSManagedObject], in context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    var level = Set(objects)
    for (layout, slot) in steps.reversed() where !level.isEmpty {
      if let inverse = layout.slots[slot].relationship?.inverse {
        level = try Self.destinations(inverse, of: level)
      } else {
        level = try Self.referrers(to: level, by: slot, of: layout, in: context)
      }
    }
    // A deleted object may still refer to members that the context has released.
    return level.filter { $0.unsafeContext != nil }
  }

  private static func destinations(
    _ slot: Int, of objects: Set<NSManagedObject>
  ) throws -> Set<NSManagedObject> {
    var found: Set<NSManagedObject> = []
    for object in objects {
      do {
        if object.layout.slots[slot].kind == .toOne {
          if let destination = try object.toOneObject(slot) { found.insert(destination) }
        } else {
          found.formUnion(try object.toManyObjects(slot))
        }
      } catch let error where CoreDataError.isRowGone(error) {
        // Another context deleted the object. The save that deleted it also changed the objects that it referred to.
      }
    }
    return found
  }

  /// Returns the objects that refer to some of `objects`, in the stores or by an unsaved change. The result may
  /// include objects whose references an unsaved change removed.
  private static func referrers(
    to objects: Set<NSManagedObject>, by slot: Int, of layout: EntityLayout,
    in context: NSManagedObjectContext
  ) throws -> Set<NSManagedObject> {
    var found: Set<NSManagedObject> = []
    // The stores do not contain unsaved references, so changed owners are examined in memory.
    for owner in context.unsaved.inserted.objects + context.unsaved.updated.objects
    where owner.layout.isKind(of: layout) && !owner.flags.contains(.deleted) {
      if !(try Self.destinations(slot, of: [owner])).isDisjoint(with: objects) {
        found.insert(owner)
      }
    }
    // In a child context, objects that the parent has not saved may have referrers in the parent.
    let saved = objects.filter { $0.key > 0 || context.isChild }.sorted { $0.key < $1.key }
    guard let source = context.source, let coordinator = source.rootCoordinator, !saved.isEmpty
    else { return found }
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = layout.entity
    let stores = coordinator.persistentStores
    for start in stride(from: 0, to: saved.count, by: queryCapacity) {
      request.predicate = NSPredicate(
        format: layout.slots[slot].kind == .toOne ? "%K IN %@" : "ANY %K IN %@",
        layout.slots[slot].name,
        Array(saved[start..<min(start + queryCapacity, saved.count)]))
      let plan = try FetchPlan(request, in: coordinator)
      found.formUnion(try source.readObjects(plan, from: stores, batchSize: 0, into: context))
    }
    return found
  }

  /// The maximum number of objects in one query.
  private static let queryCapacity = 500
}
