/// An observer or a view that receives the changes of hierarchical results.
final class HierarchyListener {
  let handler: (TableUpdates) -> Void
  private weak var view: AnyObject?
  private let hasView: Bool

  /// - Parameter view: for whom it listens, where it ends with it.
  init(for view: AnyObject? = nil, _ handler: @escaping (TableUpdates) -> Void) {
    self.handler = handler
    self.view = view
    hasView = view != nil
  }

  /// Whether its view is gone.
  var isOver: Bool { hasView && view == nil }
}
