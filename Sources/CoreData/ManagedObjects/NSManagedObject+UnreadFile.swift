extension NSManagedObject {
  /// Returns the size of a value that the store keeps in a file of its own, and its first bytes, without reading all
  /// of it: a file may have any number of bytes.
  ///
  /// - Returns: nil where the value is in the row or was set, and where the file cannot be read; `value(forKey:)`
  ///   returns the value then.
  package func unreadFile(forKey key: String, first count: Int) -> (size: Int, first: Data)? {
    guard let slot = layout.slot(named: key), slot.mayBeExternal,
      (try? fire()) != nil, !flags.contains(.inaccessible), content(slot.index).isUnread,
      snapshot.isExternal(slot, in: layout), case .row(let batch, let row) = snapshot,
      let column = batch.shape.column(ofSlot: slot.index, in: layout),
      !batch.isNull(column: column, row: Int(row)), let external = batch.shape.external
    else { return nil }
    return batch.withBytes(column: column, row: Int(row)) {
      external.beginning(UnsafeRawBufferPointer($0), count)
    }
  }

  /// Whether the row has a value for an attribute that was not set since the row was read. Where such an attribute reads
  /// as nil, its value cannot be read: its file is missing or too large, or its bytes are no value of the attribute's type.
  package func hasStoredValue(forKey key: String) -> Bool {
    guard let slot = layout.slot(named: key), slot.storage != nil, !slot.isTransient,
      (try? fire()) != nil, !flags.contains(.inaccessible)
    else { return false }
    return content(slot.index).isUnread && snapshot.hasValue(of: slot, in: layout)
  }
}

extension NSManagedObjectContext {
  /// Whether the task was cancelled that waits for what the present block of `performInterruptibly` reads. Work that
  /// takes long and fetches nothing asks now and then.
  package static var isReadingCancelled: Bool { Cancellation.ofFetch?.isCancelled == true }
}
