/// A list view that is changed in batches, as `UITableView` is: the methods have its names and its
/// meaning.
///
/// Between `beginUpdates` and `endUpdates` the order of calls means nothing. What is deleted, reloaded and
/// moved away is named by where it was before the batch, what is inserted and moved in by where it is after
/// it. At `endUpdates` the view asks its data source how many sections and rows there are now, and these
/// have to be the ones before with what the batch says.
///
/// A view with these methods adopts the protocol in one line, and then takes the reports of a controller
/// with one: see ``TableUpdater``. A toolkit's view that changes in another way (a model that tells of rows,
/// a list box) adopts it by a small object that translates. `RecordingTable` of `CoreDataTestSupport` checks
/// that the rules are kept.
///
/// Nothing here changes threads: a view is called on the queue of whoever calls, for a controller its
/// context's.
public protocol TableViewUpdating: AnyObject {
  /// How the view shows that rows come and go; ``TableRowAnimation`` unless it has a type of its own.
  associatedtype RowAnimation = TableRowAnimation

  /// Begins a batch.
  func beginUpdates()
  /// Ends the batch; the view is as its data source says from here on.
  func endUpdates()
  /// Sections are new: new places.
  func insertSections(_ sections: IndexSet, with animation: RowAnimation)
  /// Sections are gone: old places.
  func deleteSections(_ sections: IndexSet, with animation: RowAnimation)
  /// Sections are to be shown anew: old places.
  func reloadSections(_ sections: IndexSet, with animation: RowAnimation)
  /// A section is elsewhere, and its rows with it: old and new place.
  func moveSection(_ section: Int, toSection newSection: Int)
  /// Rows are new: new places.
  func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation)
  /// Rows are gone: old places.
  func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation)
  /// Rows are to be shown anew: old places, and they stay where they are among the others.
  func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation)
  /// A row is elsewhere: old and new place.
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath)
}

/// How a list view shows that rows come and go, under the names of `UITableView.RowAnimation`.
public enum TableRowAnimation: Int, Sendable {
  /// It fades.
  case fade
  /// It slides in or out on the right, the left, at the top or at the bottom.
  case right, left, top, bottom
  /// It appears at once.
  case none
  /// It is uncovered or covered by its neighbours.
  case middle
  /// The view decides.
  case automatic = 100
}

/// How rows that moved are given to a list view.
public enum TableRowMoves: Sendable {
  /// Deleted at the old and inserted at the new place, in one batch. The row is shown anew: a move may
  /// have changed it, and a list view can neither move and reload a row in one batch, nor move one out of a
  /// section that goes or into one that comes.
  case deletionsAndInsertions
  /// Moved, and reloaded by a second batch, where the view can: not out of a section that goes nor into one
  /// that comes.
  case movesThenReloads
}
