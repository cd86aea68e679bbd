// Typed accessors. They look up no name, and most of those for numbers, strings and dates box no value.

extension NSManagedObject {
  /// Returns an integer, or 0 if there is no value.
  public final func managedValue(_ key: ManagedKey) -> Int64 {
    let slot = key.slot(in: layout)
    if let cell = plainCell(slot, .integer) { return cell.isNull ? 0 : cell.integer }
    return slowValue(slot, as: NSNumber.self)?.int64Value ?? 0
  }

  /// Returns an integer, or 0 if there is no value. Keeps only the low bits of a number that does not fit.
  public final func managedValue(_ key: ManagedKey) -> Int32 {
    Int32(truncatingIfNeeded: managedValue(key) as Int64)
  }

  /// Returns an integer, or 0 if there is no value. Keeps only the low bits of a number that does not fit.
  public final func managedValue(_ key: ManagedKey) -> Int16 {
    Int16(truncatingIfNeeded: managedValue(key) as Int64)
  }

  /// Returns an integer, or 0 if there is no value.
  public final func managedValue(_ key: ManagedKey) -> Int {
    Int(truncatingIfNeeded: managedValue(key) as Int64)
  }

  /// Returns an integer or a Boolean as an integer, or nil if there is no value.
  package final func managedInteger(_ key: ManagedKey) -> Int64? {
    let slot = key.slot(in: layout)
    if let cell = plainCell(slot, .integer) { return cell.isNull ? nil : cell.integer }
    return slowValue(slot, as: NSNumber.self)?.int64Value
  }

  /// Returns a Boolean, or false if there is no value.
  public final func managedValue(_ key: ManagedKey) -> Bool { managedValue(key) as Int64 != 0 }

  /// Returns a number, or 0 if there is no value; for a date, the seconds since the start of 2001 (UTC).
  public final func managedValue(_ key: ManagedKey) -> Double {
    let slot = key.slot(in: layout)
    if let cell = plainCell(slot, .double) { return cell.isNull ? 0 : cell.double }
    let value = externalValue(slot)
    if let date = value as? Date { return date.timeIntervalSinceReferenceDate }
    return (value as? NSNumber)?.doubleValue ?? 0
  }

  /// Returns a number, or 0 if there is no value.
  public final func managedValue(_ key: ManagedKey) -> Float { Float(managedValue(key) as Double) }

  /// Returns a string, or nil if there is no value.
  public final func managedValue(_ key: ManagedKey) -> String? {
    let slot = key.slot(in: layout)
    if let cell = plainCell(slot, .text) { return cell.isNull ? nil : cell.text }
    return slowValue(slot, as: String.self)
  }

  /// Returns a date, or nil if there is no value.
  public final func managedValue(_ key: ManagedKey) -> Date? {
    let slot = key.slot(in: layout)
    if let cell = plainCell(slot, .double) {
      return cell.isNull ? nil : Date(timeIntervalSinceReferenceDate: cell.double)
    }
    return slowValue(slot, as: Date.self)
  }

  /// Returns a value of the property's type: a managed object, a set of them, an optional number,
  /// data, a transformable's value; nil if there is no value, or one of another type.
  public final func managedValue<Value>(_ key: ManagedKey) -> Value? {
    let slot = key.slot(in: layout)
    if flags.contains(.recording), let value = KeyPathProbe.value(Value.self, of: self) {
      return value as? Value
    }
    return mutableMembers(slot) ?? (externalValue(slot) as? Value)
  }

  /// Returns the members of a to-many relationship, in order if it is ordered. The fastest way to
  /// iterate over members, because it makes no set of them.
  ///
  /// Stops the program if a member has a different class, like a forced cast, or if the property is not a to-many
  /// relationship.
  ///
  /// ```swift
  /// let players: [Player] = team.managedMembers(ManagedKey("players"))
  /// print(players.map(\.age).reduce(0, +))  // 46
  /// ```
  public final func managedMembers<Member: NSManagedObject>(_ key: ManagedKey) -> [Member] {
    let slot = toManySlot(key)
    requireQueue()
    noteRead(slot)
    do {
      try fire()
      let members = try toManyObjects(slot)
      // If all classes of the destination's entities fit, no member needs a cast, and the array
      // needs no copy.
      let classes = layout.slots[slot].relationship?.destination.family
      if classes?.allSatisfy({ $0.managedObjectClass is Member.Type }) == true {
        return unsafeBitCast(members, to: [Member].self)
      }
      return members.map { member in
        guard let member = member as? Member else {
          stopProgram(
            "\(layout.name).\(key.name) contains a \(type(of: member)), which is not a \(Member.self)"
          )
        }
        return member
      }
    } catch {
      _ = inaccessible(error, readingSlot: slot)
      return []
    }
  }

  /// Returns the number of members of a to-many relationship. Creates no objects for prefetched members, unless the
  /// context has deleted objects.
  ///
  /// Stops the program if the property is not a to-many relationship.
  ///
  /// ```swift
  /// print(team.managedMemberCount(ManagedKey("players")))  // 2
  /// ```
  public final func managedMemberCount(_ key: ManagedKey) -> Int {
    managedMemberCount(toManySlot(key))
  }

  final func managedMemberCount(_ slot: Int) -> Int {
    if flags.contains(.recording) {
      let members = externalValue(slot)
      return (members as? NSSet)?.count ?? (members as? NSOrderedSet)?.count ?? 0
    }
    requireQueue()
    noteRead(slot)
    do {
      try fire()
      return try toManyCount(slot)
    } catch {
      _ = inaccessible(error, readingSlot: slot)
      return 0
    }
  }

  /// Sets an integer.
  public final func setManagedValue(_ value: Int64, _ key: ManagedKey) {
    let slot = key.slot(in: layout)
    switch layout.storage(slot) {
    case .integer16, .integer32, .integer64: setPlain(.integer(value), slot)
    default: setSlow(value, slot)
    }
  }

  /// Sets an integer.
  public final func setManagedValue(_ value: Int32, _ key: ManagedKey) {
    setManagedValue(Int64(value), key)
  }

  /// Sets an integer.
  public final func setManagedValue(_ value: Int16, _ key: ManagedKey) {
    setManagedValue(Int64(value), key)
  }

  /// Sets an integer.
  public final func setManagedValue(_ value: Int, _ key: ManagedKey) {
    setManagedValue(Int64(value), key)
  }

  /// Sets a Boolean.
  public final func setManagedValue(_ value: Bool, _ key: ManagedKey) {
    let slot = key.slot(in: layout)
    if layout.storage(slot) == .boolean {
      setPlain(.integer(value ? 1 : 0), slot)
    } else {
      setSlow(value, slot)
    }
  }

  /// Sets a number, or a date by the seconds since the start of 2001 (UTC).
  public final func setManagedValue(_ value: Double, _ key: ManagedKey) {
    let slot = key.slot(in: layout)
    switch layout.storage(slot) {
    case .double, .date: setPlain(.double(value), slot)
    default: setSlow(value, slot)
    }
  }

  /// Sets a number.
  public final func setManagedValue(_ value: Float, _ key: ManagedKey) {
    setManagedValue(Double(value), key)
  }

  /// Sets a string.
  public final func setManagedValue(_ value: String?, _ key: ManagedKey) {
    let slot = key.slot(in: layout)
    if layout.storage(slot) == .string {
      setPlain(value.map(StoredValue.text) ?? .null, slot)
    } else {
      setSlow(value, slot)
    }
  }

  /// Sets a date.
  public final func setManagedValue(_ value: Date?, _ key: ManagedKey) {
    let slot = key.slot(in: layout)
    if layout.storage(slot) == .date {
      setPlain(value.map { .double($0.timeIntervalSinceReferenceDate) } ?? .null, slot)
    } else {
      setSlow(value, slot)
    }
  }

  /// Sets a value of any type that the property accepts. Stops the program for other values.
  public final func setManagedValue<Value>(_ value: Value?, _ key: ManagedKey) {
    setSlow(value, key.slot(in: layout))
  }
}

extension NSManagedObject {
  /// One value of a row.
  struct PlainCell {
    let batch: RowBatch
    let column: Int
    let row: Int

    @inline(__always) var isNull: Bool { batch.isNull(column: column, row: row) }
    @inline(__always) var integer: Int64 { batch.integer(column: column, row: row) }
    @inline(__always) var double: Double { batch.double(column: column, row: row) }
    var text: String { batch.text(column: column, row: row) }
  }

  /// Returns the cell of an unchanged value that needs no conversion; nil if there is none.
  @inline(__always)
  private func plainCell(_ slot: Int, _ kind: RowShape.PlainKind) -> PlainCell? {
    requireQueue()
    if !flags.isDisjoint(with: [.fault, .recording, .inaccessible]) {
      guard becomesPlain() else { return nil }
    }
    noteRead(slot)
    // Checked after the fault was filled, because `awakeFromFetch` may have set the value.
    guard content(slot).isUnread, case .row(let batch, let row) = snapshot,
      let column = batch.shape.column(ofSlot: slot, in: layout, kind)
    else { return nil }
    return PlainCell(batch: batch, column: column, row: Int(row))
  }

  /// Fills a fault, whose row is usually in memory. Returns false if that is impossible.
  @inline(never)
  private func becomesPlain() -> Bool {
    guard flags.isDisjoint(with: [.recording, .inaccessible]) else { return false }
    do {
      try fire()
      return true
    } catch {
      return false
    }
  }

  private func slowValue<Value>(_ slot: Int, as type: Value.Type) -> Value? {
    externalValue(slot) as? Value
  }

  private func setPlain(_ value: StoredValue, _ slot: Int) {
    requireQueue()
    do {
      try fire()
      setStoredValue(slot, value)
    } catch {
      _ = inaccessible(error)
    }
  }

  private func setSlow(_ value: Any?, _ slot: Int) {
    stoppingOnMisuse { try setExternalValue(value, slot) }
  }
}
