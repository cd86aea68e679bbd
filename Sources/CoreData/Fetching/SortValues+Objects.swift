extension BoundSort {
  /// Reads the sort key of objects in memory. The evaluator is compiled when it is first accessed.
  var evaluator: ValueEvaluator { graph.object { ValueEvaluator(key) } }
}

extension SortValues {
  /// Reads the sort values of an object in memory.
  init(of object: NSManagedObject, by sorts: [BoundSort]) throws {
    self.init(
      values: try sorts.map { try $0.evaluator.value(of: object) }, key: object.primaryKey,
      store: object.origin.number)
  }
}
