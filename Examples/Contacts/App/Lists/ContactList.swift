import Foundation

/// A list that the commands work on.
protocol ContactList: AnyObject {
  var title: String { get }
  /// What `add` needs to know.
  var usage: String { get }
  func show() throws
  func add(_ words: [String]) throws
  func delete(number: Int) throws
  func move(number: Int, to newNumber: Int) throws
  /// Shows the rows with a text in their names only; all of them for an empty text.
  func find(_ text: String) throws
}

/// What the user asked for and cannot have.
struct Refusal: Error, CustomStringConvertible {
  var description: String
}
