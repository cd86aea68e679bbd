/// A row that the handler of a batch insertion fills in. Its attributes are numbered as in the request.
public struct BatchRow {
  /// The attributes.
  private let slots: [PropertySlot]
  /// The storage of each attribute.
  private let storages: [AttributeStorage?]
  /// The values of the attributes in stored form.
  package private(set) var values: [StoredValue]
  private let layout: EntityLayout
  /// The indexes of attributes that were set to nil. Other attributes without a value were not set.
  private var emptied: [Int] = []
  /// The first error, which ends the request.
  package private(set) var error: NSError?

  package init(_ slots: [PropertySlot], in layout: EntityLayout) {
    self.slots = slots
    self.layout = layout
    storages = slots.map(\.storage)
    values = [StoredValue](repeating: .null, count: slots.count)
  }

  /// Clears all values.
  package mutating func clear() {
    for place in values.indices { values[place] = .null }
    if !emptied.isEmpty { emptied.removeAll(keepingCapacity: true) }
  }

  /// The slots of attributes that were set, in ascending order.
  package var presentSlots: [Int] {
    values.indices.filter { !values[$0].isNull || emptied.contains($0) }.map { slots[$0].index }
      .sorted()
  }

  /// Swaps the values with those of the request's row, so that nothing is copied. The next `clear()` discards what this
  /// row receives.
  package mutating func exchange(with values: inout [StoredValue], at slots: [Int]) {
    self.values.withUnsafeMutableBufferPointer { own in
      values.withUnsafeMutableBufferPointer { others in
        for place in own.indices { swap(&own[place], &others[slots[place]]) }
      }
    }
  }

  /// Sets an integer.
  @inline(__always)
  public mutating func set(_ value: Int, at place: Int) { set(Int64(value), at: place) }

  /// Sets an integer.
  public mutating func set(_ value: Int64, at place: Int) {
    switch storages[place] {
    case .integer16, .integer32, .integer64: values[place] = .integer(value)
    // A Boolean attribute, for example, stores only 0 and 1.
    default: set(any: value, at: place)
    }
  }

  /// Sets a number.
  public mutating func set(_ value: Double, at place: Int) {
    if storages[place] == .double {
      values[place] = .double(value)
    } else {
      set(any: value, at: place)
    }
  }

  /// Sets a string.
  public mutating func set(_ value: String, at place: Int) {
    if storages[place] == .string {
      values[place] = .text(value)
    } else {
      set(any: value, at: place)
    }
  }

  /// Sets a date.
  public mutating func set(_ value: Date, at place: Int) {
    if storages[place] == .date {
      values[place] = .double(value.timeIntervalSinceReferenceDate)
    } else {
      set(any: value, at: place)
    }
  }

  /// Sets a value of any type that the attribute supports; nil for no value.
  public mutating func set(any value: Any?, at place: Int) {
    do {
      values[place] = try BatchInsertion.stored(value, slots[place], in: layout)
      // If the row updates an existing row, nil replaces the existing value, while an omitted attribute keeps it.
      if values[place].isNull { emptied.append(place) }
    } catch {
      // A setter cannot throw, so the request ends with the error after the handler has returned.
      self.error = self.error ?? (error as NSError)
    }
  }
}
