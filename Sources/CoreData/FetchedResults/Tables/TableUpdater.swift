/// A delegate of a fetched results controller that keeps a list view up to date.
///
/// It replaces the usual implementation with `beginUpdates` in `controllerWillChangeContent`, two methods with a
/// `switch`, and `endUpdates` in `controllerDidChangeContent`.
///
/// ```swift
/// controller.keepUpdated(tableView)
/// ```
///
/// This call creates an updater that the controller retains. Retain an updater that you create yourself, because a
/// controller holds its delegate weakly. The updater holds the view weakly. It changes the view once for each report,
/// after the results have changed, by calling ``TableViewUpdating/apply(_:with:moves:)``.
///
/// If the user dragged a row, so that the view already shows it in its new position, use
/// ``NSFetchedResultsController/moveObject(from:to:shownBy:)``.
public final class TableUpdater<View: TableViewUpdating>: NSFetchedResultsControllerDelegate,
  ViewDriver
{
  /// The view; nil after it was deallocated.
  public private(set) weak var view: View?
  var drivenView: AnyObject? { view }
  private let animation: View.RowAnimation
  private let moves: TableRowMoves
  private var updates = TableUpdates()

  /// Creates a delegate for a view.
  ///
  /// - Parameters:
  ///   - view: The list view, held weakly.
  ///   - animation: The animation for changes.
  ///   - moves: How to apply moves of rows.
  public init(
    _ view: View, with animation: View.RowAnimation, moves: TableRowMoves = .deletionsAndInsertions
  ) {
    self.view = view
    self.animation = animation
    self.moves = moves
  }

  /// Creates a delegate that uses the animation ``TableRowAnimation/automatic``.
  public convenience init(_ view: View) where View.RowAnimation == TableRowAnimation {
    self.init(view, with: .automatic)
  }

  /// Starts to record the changes of a report.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    updates = TableUpdates()
  }

  /// Records an inserted or deleted section.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .insert: updates.insertedSections.append(sectionIndex)
    case .delete: updates.deletedSections.append(sectionIndex)
    // A controller neither moves nor updates sections.
    case .move, .update: break
    }
  }

  /// Records an inserted, deleted, moved or updated row.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, let new?): updates.insertedRows.append(new)
    case (.delete, let old?, _): updates.deletedRows.append(old)
    case (.move, let old?, let new?):
      updates.movedRows.append(TableUpdates.RowChange(old: old, new: new))
    case (.update, let old?, let new?):
      updates.reloadedRows.append(TableUpdates.RowChange(old: old, new: new))
    default: break
    }
  }

  /// Applies the complete report to the view.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    let complete = updates
    updates = TableUpdates()
    view?.apply(complete, with: animation, moves: moves)
  }
}

extension NSFetchedResultsController {
  /// Keeps a list view up to date from now on. This replaces the delegate.
  ///
  /// Call it after `performFetch`, or before it if the view is loaded afterwards. The controller retains the
  /// ``TableUpdater``, which holds the view weakly.
  ///
  /// - Parameters:
  ///   - view: The list view.
  ///   - animation: The animation for changes.
  ///   - moves: How to apply moves of rows.
  ///
  /// ```swift
  /// try controller.performFetch()
  /// controller.keepUpdated(tableView, with: .fade, moves: .movesThenReloads)
  /// ```
  public func keepUpdated<View: TableViewUpdating>(
    _ view: View, with animation: View.RowAnimation, moves: TableRowMoves = .deletionsAndInsertions
  ) {
    let updater = TableUpdater(view, with: animation, moves: moves)
    // The delegate is held weakly, and nothing else retains the updater.
    retainedDelegate = updater
    delegate = updater
  }

  /// Keeps a list view up to date from now on, with the animation ``TableRowAnimation/automatic``.
  public func keepUpdated<View: TableViewUpdating>(_ view: View)
  where View.RowAnimation == TableRowAnimation {
    keepUpdated(view, with: .automatic)
  }
}
