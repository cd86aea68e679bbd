extension BatchDeletion {
  /// Creates the deletion for a request, and resolves the request's names and IDs.
  init(_ request: NSBatchDeleteRequest, in coordinator: NSPersistentStoreCoordinator) throws {
    if let error = request.objectIDsError { throw error }
    self.init(
      rows: try FetchPlan(request.fetchRequest, in: coordinator).query,
      beforeCommit: request.beforeCommit)
  }
}
