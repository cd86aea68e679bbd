/// An observer or a view that receives the changes of hierarchical results.
final class HierarchyListener {
  let handler: (TableUpdates) -> Void
  private weak var view: AnyObject?
  private let hasView: Bool

  /// - Parameter view: The view that the listener updates. The listener ends when the view is deallocated.
  init(for view: AnyObject? = nil, _ handler: @escaping (TableUpdates) -> Void) {
    self.handler = handler
    self.view = view
    hasView = view != nil
  }

  /// Whether the listener's view was deallocated.
  var isEnded: Bool { hasView && view == nil }
}
