import Foundation

/// The objects and variables that predicates are evaluated with.
enum Sample {
  nonisolated(unsafe) static let objects: [Any?] = [
    ["a": 1, "b": 2.5, "c": "text", "kids": [["a": 1, "b": "x"], ["a": NSNull(), "b": "y"]]]
      as [String: Any],
    ["a": ["b": Decimal(3), "k": ["x", "y"]] as [String: Any], "d": Date(), "x": NSNull()]
      as [String: Any],
    nil,
    [1, 2],
    "text",
    Int.max,
    Set([1, 2]),
    URL(string: "https://example.org/a?b=c") as Any,
  ]

  nonisolated(unsafe) static let variables: [String: Any] = [
    "x": 5, "a": [1, 2], "b": "b", "y": NSNull(), "k": ["a": "a"],
  ]
}
