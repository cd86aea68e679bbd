/// The delegate of a fetched results controller that keeps a list view up to date: what tutorials write as
/// `controllerWillChangeContent` with `beginUpdates`, two methods with a `switch`, and
/// `controllerDidChangeContent` with `endUpdates`.
///
/// ```swift
/// controller.keepUpdated(tableView)
/// ```
///
/// That makes such a delegate, and the controller keeps it; one that is made otherwise has to be kept by
/// whoever makes it, as a controller holds its delegate weakly. The view is held weakly, too. It is changed
/// once a report, when the results are the new ones, by ``TableViewUpdating/apply(_:with:moves:)``.
///
/// A row that moved and is in the right place on the screen already, because the user dragged it there, is
/// told by ``NSFetchedResultsController/moveObject(from:to:shownBy:)``.
public final class TableUpdater<View: TableViewUpdating>: NSFetchedResultsControllerDelegate,
  DrivesView
{
  /// The view; nil when it is gone.
  public private(set) weak var view: View?
  var drivenView: AnyObject? { view }
  private let animation: View.RowAnimation
  private let moves: TableRowMoves
  private var updates = TableUpdates()

  /// Makes a delegate for a view.
  ///
  /// - Parameters:
  ///   - view: held weakly.
  ///   - animation: how the view shows changes.
  ///   - moves: how rows that moved are given to it.
  public init(
    _ view: View, with animation: View.RowAnimation, moves: TableRowMoves = .deletionsAndInsertions
  ) {
    self.view = view
    self.animation = animation
    self.moves = moves
  }

  /// Makes a delegate for a view that chooses how it shows changes.
  public convenience init(_ view: View) where View.RowAnimation == TableRowAnimation {
    self.init(view, with: .automatic)
  }

  /// A report begins.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    updates = TableUpdates()
  }

  /// A section comes or goes.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .insert: updates.insertedSections.append(sectionIndex)
    case .delete: updates.deletedSections.append(sectionIndex)
    // Sections of live results do neither.
    case .move, .update: break
    }
  }

  /// A row comes, goes, moves or changes.
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

  /// The report is complete: the view is changed.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    let complete = updates
    updates = TableUpdates()
    view?.apply(complete, with: animation, moves: moves)
  }
}

extension NSFetchedResultsController {
  /// Keeps a list view up to date from here on, in the place of the delegate that there was.
  ///
  /// Called after `performFetch`, or before it by who then loads the view. The view is held weakly, its
  /// ``TableUpdater`` by this controller.
  ///
  /// - Parameters:
  ///   - view: what is changed.
  ///   - animation: how it shows changes.
  ///   - moves: how rows that moved are given to it.
  public func keepUpdated<View: TableViewUpdating>(
    _ view: View, with animation: View.RowAnimation, moves: TableRowMoves = .deletionsAndInsertions
  ) {
    let updater = TableUpdater(view, with: animation, moves: moves)
    heldDelegate = updater
    delegate = updater
  }

  /// Keeps a list view that chooses its animations up to date from here on.
  public func keepUpdated<View: TableViewUpdating>(_ view: View)
  where View.RowAnimation == TableRowAnimation {
    keepUpdated(view, with: .automatic)
  }
}
