// On Apple's platforms, UIKit and AppKit declare these members for index paths of two indexes.

extension IndexPath {
  /// Creates the index path of a row in a table view.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  /// Creates the index path of an item in a collection view.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
  /// The section of a row or an item.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }
  /// The row in a section of a table view.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
  /// The item in a section of a collection view.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
