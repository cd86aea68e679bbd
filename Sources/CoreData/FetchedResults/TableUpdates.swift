public import Foundation

/// What turns one list of sections and rows into another, in the form in which a list view takes it.
///
/// Old places are those before the change, new ones those after it; deletions are to be applied to the old
/// list from the last to the first, insertions to the new one from the first to the last, and what moves is
/// taken out with the deletions and put in with the insertions. Rows of a section that is deleted or
/// inserted are named as well; those of a section that moves go with it and are not.
public struct TableUpdates: Sendable, Equatable {
  /// A section that stays and is in another place among those that stay.
  public struct SectionMove: Sendable, Equatable {
    /// Its old and its new place.
    public let old, new: Int
  }

  /// A row that stays.
  public struct RowChange: Sendable, Equatable {
    /// Its old and its new place.
    public let old, new: IndexPath
  }

  /// Old places, descending.
  public internal(set) var deletedSections: [Int] = []
  /// New places, ascending.
  public internal(set) var insertedSections: [Int] = []
  /// By new place, ascending.
  public internal(set) var movedSections: [SectionMove] = []
  /// Old places, descending.
  public internal(set) var deletedRows: [IndexPath] = []
  /// New places, ascending.
  public internal(set) var insertedRows: [IndexPath] = []
  /// By new place, ascending: rows that are in another section, or elsewhere among the rows of their
  /// section that stay.
  public internal(set) var movedRows: [RowChange] = []
  /// By new place, ascending: rows that stay where they are and are to be shown anew.
  public internal(set) var reloadedRows: [RowChange] = []
  /// New places of sections that stay and are to be shown anew, ascending.
  public internal(set) var reloadedSections: [Int] = []

  /// Whether there is nothing to do.
  public var isEmpty: Bool { self == TableUpdates() }
}
