/// A row whose derived attributes the store computed again, because other rows changed.
package struct ComputedRow {
  package let layout: EntityLayout
  package let key: Int64
  /// The attributes; empty if they are unknown.
  package let slots: [Int]

  package init(layout: EntityLayout, key: Int64, slots: [Int]) {
    self.layout = layout
    self.key = key
    self.slots = slots
  }
}
