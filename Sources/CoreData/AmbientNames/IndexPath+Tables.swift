// UIKit's and AppKit's names for the two indexes of a row.

extension IndexPath {
  /// A place in a table.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  /// A place in a collection.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
  /// The section of a place in a table.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }
  /// The row of a place in a table.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
  /// The item of a place in a collection.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
