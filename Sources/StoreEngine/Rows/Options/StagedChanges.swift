/// Counts changes that a program makes to values of a store, such as its metadata, and knows whether the file contains
/// all of them. Not synchronized: a store uses it under its lock.
package struct StagedChanges {
  /// The number of changes so far.
  package private(set) var count = 0
  /// The ``count`` of the values that the file contains.
  private var writtenCount = 0

  package init() {}

  /// Whether a change has yet to be written.
  package var areUnwritten: Bool { count != writtenCount }

  package mutating func add() { count += 1 }

  /// Records that the file contains the values of a ``count`` that was read before the write began. Changes that were
  /// made during the write stay unwritten.
  package mutating func wereWritten(_ count: Int) { writtenCount = count }
}
