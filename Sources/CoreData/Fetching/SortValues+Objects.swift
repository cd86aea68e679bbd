extension BoundSort {
  /// Returns the key's value of an object in memory. It is compiled when it is first accessed.
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
