import Foundation

/// Shortens tests that try many steps, or every combination of two lists.
///
/// With `OPENCOREDATA_ALL_CASES=1`, these tests run all their steps and try all combinations.
public enum WholeRun {
  /// Whether the variable requests a whole run.
  public static let isChosen = ProcessInfo.processInfo.environment["OPENCOREDATA_ALL_CASES"] == "1"

  /// Returns the number of steps: the first number by default, the second one in a whole run.
  public static func steps(_ few: Int, whole: Int) -> Int { isChosen ? whole : few }

  /// Returns every `step`-th element, or all elements in a whole run.
  public static func sample<Element>(_ elements: [Element], every step: Int) -> [Element] {
    isChosen
      ? elements : elements.enumerated().filter { $0.offset.isMultiple(of: step) }.map(\.element)
  }
}
