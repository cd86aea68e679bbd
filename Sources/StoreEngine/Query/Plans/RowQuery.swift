/// The rows of an entity that a store must read, and their order: a fetch request with resolved
/// names and checked types.
package struct RowQuery {
  package let layout: EntityLayout
  package var includesSubentities = true
  package var predicate: BoundPredicate?
  package var sorts: [BoundSort] = []
  /// 0 means no limit.
  package var limit = 0
  package var offset = 0
  /// Whether rows contain their values or only their keys.
  package var fetchesValues = true
  /// The original fetch request, for custom stores that execute it themselves.
  package var request: AnyObject?
  /// The cancellation that ends the fetch early.
  package var cancellation: Cancellation?

  /// Creates a query for all rows of an entity.
  package init(layout: EntityLayout) { self.layout = layout }

  /// The entities that results can have.
  package var layouts: [EntityLayout] { includesSubentities ? layout.family : [layout] }

  /// Whether a part of the predicate can only be evaluated with managed objects.
  package var needsObjects: Bool { predicate?.objectPredicate != nil }

  /// Whether the predicate contains temporary object IDs, which the next save replaces.
  package var containsUnsavedObjects: Bool { RelationshipDependency.containsUnsavedObjects(self) }

  /// The relationship paths from the fetched entity that affect which rows match, or their order.
  package var dependencies: [RelationshipDependency] { RelationshipDependency.all(of: self) }
}

extension BoundSort {
  /// - Throws: An error for a descriptor that a store cannot sort by.
  package init(_ descriptor: NSSortDescriptor, _ binder: PredicateBinder) throws {
    guard let key = descriptor.key else {
      throw CoreDataError.badRequest(
        "a sort descriptor without a key cannot be used in a fetch request")
    }
    guard let comparison = descriptor.stringComparison else {
      throw CoreDataError.badRequest(
        "a sort descriptor with a custom comparator or selector cannot be used in a fetch request: \(key)"
      )
    }
    let resolved = try binder.resolve(keys: BoundPath.keys(of: key), level: 0)
    guard let bound = try resolved.singleValue else {
      throw CoreDataError.badRequest("to-many key not allowed here: cannot sort by \(key)")
    }
    self.init(
      key: bound, ascending: descriptor.ascending,
      comparison: bound.kind == .text ? comparison : .literal)
  }
}
