/// The new rows of a change set, with the values of all of their slots.
///
/// The values of all rows are in one array, so a row needs no allocation of its own. A row either has the key that its
/// object obtained earlier, or the store allocates one in the transaction that writes the row. Until then, the key is a
/// negative placeholder computed from the row's index. Links refer to the row by the placeholder, and values by the
/// index.
@usableFromInline
package struct NewRows {
  @usableFromInline struct Head {
    @usableFromInline let layout: EntityLayout
    @usableFromInline var key: Int64
    @usableFromInline let first: Int
    @usableFromInline let version: Int32
  }

  @usableFromInline var heads: [Head] = []
  /// The values of the `rowSlots` of each row's layout, in order.
  @usableFromInline var values: [StoredValue] = []
  /// The references to rows without a key: the index of the value, and the index of the row it refers to.
  private var open: [(value: Int, row: Int)] = []
  /// The indexes of the values that will be set to the time of the transaction.
  private var times: [Int] = []

  package init() {}

  /// Returns the placeholder for the key of the row at an index.
  package static func placeholder(ofRow row: Int) -> Int64 { -1 - Int64(row) }

  /// Returns the index of the row with a placeholder.
  package static func row(ofPlaceholder key: Int64) -> Int { Int(-1 - key) }

  /// Reserves capacity for rows and values.
  package mutating func reserve(rows: Int, values count: Int) {
    heads.reserveCapacity(rows)
    values.reserveCapacity(count)
  }

  // MARK: Filling

  /// Begins a row. Its values are appended next: one for each of the `rowSlots` of its layout, in order.
  ///
  /// - Parameters:
  ///   - key: The key; nil if the store must allocate one.
  ///   - version: The version of the new row; greater than 1 if a deleted row is restored, so that objects that have
  ///     read the old row find that it changed.
  package mutating func begin(_ layout: EntityLayout, key: Int64?, version: Int32 = 1) {
    heads.append(
      Head(
        layout: layout, key: key ?? Self.placeholder(ofRow: heads.count), first: values.count,
        version: version))
  }

  @inlinable package mutating func append(_ value: StoredValue) { values.append(value) }

  /// Appends a reference to a row of this change set that has no key yet.
  package mutating func append(referenceToRow row: Int) {
    open.append((values.count, row))
    // `assignKeys` replaces it with the reference.
    values.append(.null)
  }

  /// Sets a value of the row that was begun last.
  package mutating func set(_ value: StoredValue, ofLast slot: Int) {
    if let place = place(ofLast: slot) { values[place] = value }
  }

  /// Sets a value of the row that was begun last to the time of the transaction.
  package mutating func setTime(ofLast slot: Int) {
    if let place = place(ofLast: slot) { times.append(place) }
  }

  private func place(ofLast slot: Int) -> Int? {
    guard let last = heads.last, let place = last.layout.rowPlace(of: slot) else { return nil }
    return last.first + place
  }

  /// Adds a row with a key. Slots without a value are NULL.
  package mutating func append(
    _ layout: EntityLayout, key: Int64, _ given: [(slot: Int, value: StoredValue)],
    version: Int32 = 1
  ) {
    begin(layout, key: key, version: version)
    let first = values.count
    values.append(contentsOf: repeatElement(.null, count: layout.rowSlots.count))
    for (slot, value) in given {
      if let place = layout.rowPlace(of: slot) { values[first + place] = value }
    }
  }

  /// Assigns the allocated keys to the rows, and updates all references to them.
  ///
  /// - Parameter next: Returns the next key for a row of an entity.
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

  /// Sets the time of the transaction.
  package mutating func setTimes(_ time: StoredValue) {
    for place in times { values[place] = time }
  }
}

/// One of the new rows.
@usableFromInline
package struct NewRow {
  package let layout: EntityLayout
  /// The key; negative until the store has allocated one.
  package let key: Int64
  /// The values of the layout's `rowSlots`, in order.
  package let values: ArraySlice<StoredValue>

  /// Returns the row as a change of all of its values.
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

  /// The keys in the order of the rows.
  package var keys: [Int64] { heads.map(\.key) }

  @inlinable package func layout(_ row: Int) -> EntityLayout { heads[row].layout }

  @inlinable package func key(_ row: Int) -> Int64 { heads[row].key }

  /// Returns the version that a row is inserted with.
  @inlinable package func version(_ row: Int) -> Int32 { heads[row].version }

  /// Returns the index of a row's first value, for ``value(at:)``.
  @inlinable package func firstValue(_ row: Int) -> Int { heads[row].first }

  @inlinable package func value(at place: Int) -> StoredValue { values[place] }

  /// Returns the value for a slot of the row that was begun last; NULL for a slot without a column.
  package func lastValue(_ slot: Int) -> StoredValue {
    place(ofLast: slot).map { values[$0] } ?? .null
  }
}
