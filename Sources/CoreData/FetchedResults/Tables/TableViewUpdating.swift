/// A list view that is changed in batches. The methods have the names and the meaning of those of `UITableView`.
///
/// The order of calls between `beginUpdates` and `endUpdates` does not matter. Deletions, reloads and the sources of
/// moves refer to index paths before the batch; insertions and the destinations of moves refer to index paths after it.
/// At `endUpdates` the view queries its data source for the number of sections and rows, which must match the batch.
///
/// A view that has these methods can adopt the protocol in one line, and then applies a controller's reports in one
/// line: see ``TableUpdater``. For a toolkit's view with other methods, such as a model that reports rows, or a list
/// box, write a small adapter that adopts the protocol. In tests, `RecordingTable` of `CoreDataTestSupport` checks that
/// the calls follow the rules.
///
/// Views are called on the queue of the caller. A controller calls them on its context's queue.
public protocol TableViewUpdating: AnyObject {
  /// The type of animations; ``TableRowAnimation`` unless the view has its own type.
  associatedtype RowAnimation = TableRowAnimation

  /// Begins a batch.
  func beginUpdates()
  /// Ends the batch. Afterwards the view shows what its data source contains.
  func endUpdates()
  /// Inserts sections at new indexes.
  func insertSections(_ sections: IndexSet, with animation: RowAnimation)
  /// Deletes the sections at old indexes.
  func deleteSections(_ sections: IndexSet, with animation: RowAnimation)
  /// Reloads the sections at old indexes.
  func reloadSections(_ sections: IndexSet, with animation: RowAnimation)
  /// Moves a section and its rows from an old to a new index.
  func moveSection(_ section: Int, toSection newSection: Int)
  /// Inserts rows at new index paths.
  func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation)
  /// Deletes the rows at old index paths.
  func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation)
  /// Reloads the rows at old index paths. They keep their position relative to the other rows.
  func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation)
  /// Moves a row from an old to a new index path.
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath)
}

/// The animation of rows that are inserted or deleted, with the names of `UITableView.RowAnimation`.
public enum TableRowAnimation: Int, Sendable {
  /// The row fades.
  case fade
  /// The row slides in or out on the right, on the left, at the top or at the bottom.
  case right, left, top, bottom
  /// The row appears or disappears without animation.
  case none
  /// The row stays centered in the space that it enters or leaves.
  case middle
  /// The view chooses the animation.
  case automatic = 100
}

/// How moved rows are applied to a list view.
public enum TableRowMoves: Sendable {
  /// As a deletion and an insertion in one batch. The row is shown with its current values, which may have changed
  /// together with its position. In one batch, a list view can neither move and reload the same row, nor move a row out
  /// of a deleted section or into an inserted one.
  case deletionsAndInsertions
  /// As a move, followed by a reload in a second batch. Rows that leave a deleted section or enter an inserted one
  /// are still deleted and inserted.
  case movesThenReloads
}
