extension BatchDeletion {
  /// Resolves the names of a request.
  init(_ request: NSBatchDeleteRequest, in model: ModelLayout) throws {
    if let error = request.objectIDsError { throw error }
    self.init(
      rows: try FetchPlan(request.fetchRequest, in: model).query,
      beforeCommit: request.beforeCommit)
  }
}
