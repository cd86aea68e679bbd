extension BatchDeletion {
  /// Creates the deletion for a request, and resolves the request's names against the model.
  init(_ request: NSBatchDeleteRequest, in model: ModelLayout) throws {
    if let error = request.objectIDsError { throw error }
    self.init(
      rows: try FetchPlan(request.fetchRequest, in: model).query,
      beforeCommit: request.beforeCommit)
  }
}
