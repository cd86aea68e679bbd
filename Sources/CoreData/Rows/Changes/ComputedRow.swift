/// A row whose derived attributes the store computed again because other rows changed.
struct ComputedRow {
  let layout: EntityLayout
  let key: Int64
  /// The attributes; empty where they are not known.
  let slots: [Int]
}
