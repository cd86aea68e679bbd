/// The kind of index that holds an element.
public enum NSFetchIndexElementType: UInt, Sendable, CaseIterable {
  /// An ordinary index, ordered by value.
  case binary = 0
  /// An index of numeric ranges, for places and intervals.
  case rTree = 1
}

extension NSFetchIndexElementType {
  /// The spelling of the kind in model files.
  package var modelFileName: String {
    switch self {
    case .binary: "Binary"
    case .rTree: "RTree"
    }
  }

  /// The kind with a model file's spelling (in whatever case), or nil.
  package init?(modelFileName: String) {
    switch modelFileName.lowercased() {
    case "binary": self = .binary
    case "rtree", "r-tree": self = .rTree
    default: return nil
    }
  }
}
