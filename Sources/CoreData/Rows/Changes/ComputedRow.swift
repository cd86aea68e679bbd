/// A row whose derived attributes the store computed anew because of other rows.
struct ComputedRow {
  let layout: EntityLayout
  let key: Int64
  /// The attributes; none where nobody can say which.
  let slots: [Int]
}
