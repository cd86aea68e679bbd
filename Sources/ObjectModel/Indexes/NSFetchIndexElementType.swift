/// The types of indexes.
public enum NSFetchIndexElementType: UInt, Sendable, CaseIterable {
  /// An ordinary index, ordered by value.
  case binary = 0
  /// An index of numeric ranges, for locations and intervals.
  case rTree = 1
}

extension NSFetchIndexElementType {
  /// The name of the type in model files.
  package var modelFileName: String {
    switch self {
    case .binary: "Binary"
    case .rTree: "RTree"
    }
  }

  /// Creates the type with a name in model files, in any case; nil if the name is unknown.
  package init?(modelFileName: String) {
    switch modelFileName.lowercased() {
    case "binary": self = .binary
    case "rtree", "r-tree": self = .rTree
    default: return nil
    }
  }
}
