/// The new rows of a change set, with what is written for each of their slots.
///
/// The values of all rows lie one behind the other: a row costs no allocation of its own. A row has either the key that
/// its object got before, or gets one of the store in the transaction that writes it. Until then its key is a number
/// below zero, which says its place; values and links that lead to it name that place.
@usableFromInline
package struct NewRows {
  @usableFromInline struct Head {
    @usableFromInline let layout: EntityLayout
    @usableFromInline var key: Int64
    @usableFromInline let first: Int
  }

  @usableFromInline var heads: [Head] = []
  /// For each row the values of its layout's `rowSlots`, in their order.
  @usableFromInline var values: [StoredValue] = []
  /// The values that are references to rows without a key.
  private var open: [(value: Int, row: Int)] = []
  /// The values that are the time of the transaction.
  private var times: [Int] = []

  package init() {}

  /// The key that stands for the row at a place until the store gives it one.
  package static func placeholder(ofRow row: Int) -> Int64 { -1 - Int64(row) }

  /// The place that a placeholder stands for.
  package static func row(ofPlaceholder key: Int64) -> Int { Int(-1 - key) }

  /// Makes room for some rows with some values.
  package mutating func reserve(rows: Int, values count: Int) {
    heads.reserveCapacity(rows)
    values.reserveCapacity(count)
  }

  // MARK: Filling

  /// Begins a row, whose values are appended next: one for each of its layout's `rowSlots`, in their order.
  ///
  /// - Parameter key: nil for a row that the store is to give a key.
  package mutating func begin(_ layout: EntityLayout, key: Int64?) {
    heads.append(
      Head(layout: layout, key: key ?? Self.placeholder(ofRow: heads.count), first: values.count))
  }

  @inlinable package mutating func append(_ value: StoredValue) { values.append(value) }

  /// Appends a reference to a row of these that has no key yet.
  package mutating func append(referenceToRow row: Int) {
    open.append((values.count, row))
    values.append(.null)
  }

  /// Sets a value of the row that was begun last.
  package mutating func set(_ value: StoredValue, ofLast slot: Int) {
    if let place = place(ofLast: slot) { values[place] = value }
  }

  /// Has a value of the row that was begun last be the time of the transaction.
  package mutating func setTime(ofLast slot: Int) {
    if let place = place(ofLast: slot) { times.append(place) }
  }

  private func place(ofLast slot: Int) -> Int? {
    guard let last = heads.last, let place = last.layout.rowPlace(of: slot) else { return nil }
    return last.first + place
  }

  /// Adds a row with a key; the slots that are not given are NULL.
  package mutating func append(
    _ layout: EntityLayout, key: Int64, _ given: [(slot: Int, value: StoredValue)]
  ) {
    begin(layout, key: key)
    let first = values.count
    values.append(contentsOf: repeatElement(.null, count: layout.rowSlots.count))
    for (slot, value) in given {
      if let place = layout.rowPlace(of: slot) { values[first + place] = value }
    }
  }

  /// Puts the keys that the store allocated into the rows, and into what leads to them.
  ///
  /// - Parameter next: returns the next key for a row of an entity.
  package mutating func assignKeys(_ origin: StoreOrigin, _ next: (EntityLayout) -> Int64) {
    for row in heads.indices where heads[row].key < 0 {
      heads[row].key = next(heads[row].layout)
    }
    for (value, row) in open {
      values[value] = .reference(
        NSManagedObjectID(layout: heads[row].layout, key: heads[row].key, origin: origin))
    }
    open = []
  }

  /// Puts the time of the transaction in.
  package mutating func setTimes(_ time: StoredValue) {
    for place in times { values[place] = time }
  }
}

/// One of new rows.
@usableFromInline
package struct NewRow {
  package let layout: EntityLayout
  /// Below zero until the store has given one.
  package let key: Int64
  /// The values of the layout's `rowSlots`, in their order.
  package let values: ArraySlice<StoredValue>

  /// The row as one whose values are all written.
  package func whole() -> ChangeSet.Row {
    ChangeSet.Row(
      layout: layout, key: key, version: 0,
      values: zip(layout.rowSlots, values).map { (slot: $0, value: $1) })
  }
}

extension NewRows: RandomAccessCollection {
  @usableFromInline package var startIndex: Int { 0 }
  @usableFromInline package var endIndex: Int { heads.count }

  @usableFromInline package subscript(row: Int) -> NewRow {
    let head = heads[row]
    return NewRow(
      layout: head.layout, key: head.key,
      values: values[head.first..<head.first + head.layout.rowSlots.count])
  }

  /// The keys, in the rows' order.
  package var keys: [Int64] { heads.map(\.key) }

  @inlinable package func layout(_ row: Int) -> EntityLayout { heads[row].layout }

  @inlinable package func key(_ row: Int) -> Int64 { heads[row].key }

  /// Where the values of a row begin, for ``value(at:)``.
  @inlinable package func firstValue(_ row: Int) -> Int { heads[row].first }

  @inlinable package func value(at place: Int) -> StoredValue { values[place] }

  /// What is written for a slot of the row that was begun last; null for a slot without a column.
  package func lastValue(_ slot: Int) -> StoredValue {
    place(ofLast: slot).map { values[$0] } ?? .null
  }
}
