import Foundation

/// A batch deletion with its names resolved.
struct BatchDeletion {
  /// Which rows; its cancellation ends the request early, without a trace.
  var rows: FetchPlan
  /// Asked before it is committed; see ``NSBatchDeleteRequest/beforeCommit``.
  let beforeCommit: ((BatchDeletionFigures) throws -> Void)?

  init(_ request: NSBatchDeleteRequest, in model: ModelLayout) throws {
    if let mistake = request.mistake { throw mistake }
    rows = try FetchPlan(request.fetchRequest, in: model)
    beforeCommit = request.beforeCommit
  }
}
