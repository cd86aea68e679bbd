/// Which rows of an entity a store is to read, and in what order: what a fetch request asks for, with every name resolved
/// and every type checked.
package struct RowQuery {
  package let layout: EntityLayout
  package var includesSubentities = true
  package var predicate: BoundPredicate?
  package var sorts: [BoundSort] = []
  /// 0 means no limit.
  package var limit = 0
  package var offset = 0
  /// Whether rows carry their values, or their keys only.
  package var fetchesValues = true
  /// The request, for stores that are given it as it is.
  package var request: AnyObject?
  /// Ends the reading early, for a fetch that may be cancelled.
  package var cancellation: Cancellation?

  /// All rows of an entity.
  package init(layout: EntityLayout) { self.layout = layout }

  /// The entities whose rows can be results.
  package var layouts: [EntityLayout] { includesSubentities ? layout.family : [layout] }

  /// Whether some part of the predicate is for objects to answer.
  package var needsObjects: Bool { predicate?.objectQuestion != nil }

  /// Whether the predicate names objects by IDs that end with the next save.
  package var namesUnsavedObjects: Bool { RelationshipDependency.namesUnsavedObjects(self) }

  /// The relationship paths that membership or order depend on, each as to-one and to-many slots
  /// from the fetched entity.
  package var dependencies: [RelationshipDependency] { RelationshipDependency.all(of: self) }
}

extension BoundSort {
  /// - Throws: an error for a descriptor that no store can sort by.
  package init(_ descriptor: NSSortDescriptor, _ binder: PredicateBinder) throws {
    guard let key = descriptor.key else {
      throw CoreDataError.badRequest("a sort descriptor without a key cannot be fetched with")
    }
    guard let comparison = descriptor.stringComparison else {
      throw CoreDataError.badRequest(
        "a sort descriptor with a comparator or selector of its own cannot be fetched with: \(key)")
    }
    let resolved = try binder.resolve(keys: BoundPath.keys(of: key), level: 0)
    guard case .single(let bound) = resolved else {
      throw CoreDataError.badRequest("to-many key not allowed here: cannot sort by \(key)")
    }
    self.init(
      key: bound, ascending: descriptor.ascending,
      comparison: bound.kind == .text ? comparison : .literal)
  }
}
