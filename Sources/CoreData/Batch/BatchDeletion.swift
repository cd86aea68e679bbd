import Foundation

/// A batch deletion with its names resolved.
struct BatchDeletion {
  /// Which rows; its cancellation ends the request early, without a trace.
  var rows: FetchPlan

  init(_ request: NSBatchDeleteRequest, in model: ModelLayout) throws {
    if let mistake = request.mistake { throw mistake }
    rows = try FetchPlan(request.fetchRequest, in: model)
  }
}
