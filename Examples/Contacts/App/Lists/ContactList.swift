import Foundation

/// A list that commands work on.
protocol ContactList: AnyObject {
  var title: String { get }
  /// The arguments of `add`.
  var usage: String { get }
  func show() throws
  func add(_ words: [String]) throws
  func delete(number: Int) throws
  func move(number: Int, to newNumber: Int) throws
  /// Shows only the rows with a text in one of the searched properties; all rows for an empty string.
  func find(_ text: String) throws
}

/// A request of the user that cannot be carried out.
struct Refusal: Error, CustomStringConvertible {
  var description: String
}
