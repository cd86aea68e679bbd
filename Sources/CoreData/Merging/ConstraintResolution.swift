/// Resolves conflicts of objects with equal unique values. One object keeps the values; the others are discarded, or
/// get their former values back.
struct ConstraintResolution {
  let type: NSMergePolicyType
  /// The discarded objects and those that replace them.
  private var replaced: Replacements = [:]

  // The values retain the discarded objects, whose addresses are the keys.
  typealias Replacements = [ObjectIdentifier: (object: NSManagedObject, by: NSManagedObject?)]

  static func resolve(_ conflicts: [NSConstraintConflict], _ type: NSMergePolicyType) throws {
    var resolution = ConstraintResolution(type: type)
    for conflict in conflicts { try resolution.resolve(conflict) }
    let replaced = resolution.replaced.mapValues {
      ($0.object, by: resolution.survivor(of: $0.object))
    }
    let contexts = replaced.values.lazy.compactMap { $0.by?.unsafeContext }
    contexts.first?.replaceReferences(replaced)
  }

  /// Returns the object that finally replaces another one; nil if none does. The first replacement may have been
  /// discarded later, because of another constraint.
  private func survivor(of object: NSManagedObject) -> NSManagedObject? {
    var survivor: NSManagedObject? = object
    while let discarded = survivor, let next = replaced[ObjectIdentifier(discarded)] {
      survivor = next.by
    }
    return survivor
  }

  private init(type: NSMergePolicyType) { self.type = type }

  private var storeWins: Bool {
    type == .mergeByPropertyStoreTrumpMergePolicyType || type == .rollbackMergePolicyType
  }

  private mutating func resolve(_ conflict: NSConstraintConflict) throws {
    // The resolution of another conflict, or the program, may have resolved this conflict already.
    let objects = conflict.conflictingObjects.filter { $0.existsHere && conflict.applies(to: $0) }
    if let database = conflict.databaseObject {
      // The resolution of another conflict may have deleted this object.
      guard database.unsafeContext != nil, !database.flags.contains(.deleted) else { return }
      // A program can create a conflict of an object with itself. An object cannot replace itself.
      for object in objects where object !== database {
        try resolve(object, against: database, conflict)
      }
    } else if objects.count > 1 {
      storeWins
        ? try keepStored(of: objects, conflict) : try keepNew(of: objects, conflict)
    }
  }

  /// Resolves the conflict of a saved object with a row that the save does not change.
  private mutating func resolve(
    _ object: NSManagedObject, against database: NSManagedObject, _ conflict: NSConstraintConflict
  ) throws {
    switch (storeWins, object.flags.contains(.inserted)) {
    case (true, true): try absorb(object, into: database, withValues: false)
    // Both have rows. The store wins, so both rows stay, and the object gets its former values
    // back.
    case (true, false): try restoreCommittedValues(of: object, conflict)
    case (false, true): try absorb(object, into: database, withValues: true)
    // The object wins, so the other row is deleted. The object has the newer values already.
    case (false, false): try absorb(database, into: object, withValues: false)
    }
  }

  /// Lets one of several objects of the save keep the values. In order of preference: an object that had the
  /// conflicting values when it was read, the first object with a row, the first object. Other new objects are
  /// discarded, and other objects with rows get their former values back.
  private mutating func keepStored(
    of objects: [NSManagedObject], _ conflict: NSConstraintConflict
  ) throws {
    let saved = objects.filter { !$0.flags.contains(.inserted) }
    guard let kept = saved.first(where: conflict.applied) ?? saved.first ?? objects.first else {
      return
    }
    for object in objects where object !== kept {
      if object.flags.contains(.inserted) {
        try absorb(object, into: kept, withValues: false)
      } else {
        try restoreCommittedValues(of: object, conflict)
      }
    }
  }

  /// Keeps one of several objects of the save, with the attributes of the newest inserted object. In order of
  /// preference: an object with a row that did not have the conflicting values when it was read, another object
  /// with a row, the newest object.
  private mutating func keepNew(
    of objects: [NSManagedObject], _ conflict: NSConstraintConflict
  ) throws {
    let saved = objects.filter { !$0.flags.contains(.inserted) }
    let newest = objects.last { $0.flags.contains(.inserted) }
    guard let kept = saved.last(where: { !conflict.applied(to: $0) }) ?? saved.last ?? newest else {
      return
    }
    for object in objects where object !== kept {
      try absorb(object, into: kept, withValues: object === newest)
    }
  }

  /// Restores the values that the constraint's properties had when the object was read. For an element, restores its
  /// whole composite attribute; for a normalized string, such as `lowercase:(name)`, the string it is derived from.
  /// The rollback policy restores the values of all properties.
  private func restoreCommittedValues(
    of object: NSManagedObject, _ conflict: NSConstraintConflict
  ) throws {
    guard let context = object.unsafeContext else { return }
    if type == .rollbackMergePolicyType {
      return try ConflictResolution(
        object: object, context: context, type: type, present: object.snapshot
      ).resolve()
    }
    for slot in conflict.slots(of: object).flatMap(object.slotsOfProperty)
    where object.isChanged(slot) {
      if case .toOne = slot.kind {
        var destination: NSManagedObject?
        if case .reference(let id) = object.committedValue(slot) {
          destination = context.object(with: id)
        }
        try object.setToOne(slot.index, destination)
      } else {
        object.setStoredValue(slot.index, object.committedValue(slot))
      }
    }
    context.wake(object, .mergePolicy)
  }

  private mutating func absorb(
    _ object: NSManagedObject, into kept: NSManagedObject, withValues: Bool
  ) throws {
    try Absorption(kept, object).run(withValues: withValues)
    replaced[ObjectIdentifier(object)] = (object, kept)
  }
}

extension NSConstraintConflict {
  /// Returns the slots of an object that determine its values of the constraint.
  func slots(of object: NSManagedObject) -> [PropertySlot] {
    constraint.compactMap(object.layout.slot(determining:))
  }

  /// Returns whether an object still has the conflicting values.
  func applies(to object: NSManagedObject) -> Bool {
    let present = object.values(ofConstraint: constraint)
    return constraint.allSatisfy { ValueEquality.areEqual(present[$0], constraintValues[$0]) }
  }

  /// Returns whether an object had the conflicting values when it was read.
  func applied(to object: NSManagedObject) -> Bool {
    let old = object.snapshot.values(in: object.layout, origin: object.origin) ?? [:]
    return constraint.allSatisfy { ValueEquality.areEqual(old[$0], constraintValues[$0]) }
  }
}
