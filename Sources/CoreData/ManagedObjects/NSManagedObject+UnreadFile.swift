extension NSManagedObject {
  /// Returns the size and the first bytes of a value that the store keeps in a separate file,
  /// without reading all of the file, which may be of any size.
  ///
  /// - Returns: Nil if there is no value, if the value is in the row or was set, or if the row or the file cannot be
  ///   read.
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

  /// Returns whether the row has a value for an attribute that was not set since the row was read.
  /// If the attribute reads as nil nevertheless, its value is unreadable: its file is missing or
  /// too large, or its bytes are not a value of the attribute's type.
  package func hasStoredValue(forKey key: String) -> Bool {
    guard let slot = layout.slot(named: key), slot.storage != nil, !slot.isTransient,
      (try? fire()) != nil, !flags.contains(.inaccessible)
    else { return false }
    return content(slot.index).isUnread && snapshot.hasValue(of: slot, in: layout)
  }
}

extension NSManagedObjectContext {
  /// Whether the task that waits for the current block of `performInterruptibly` was cancelled.
  /// Long-running work without fetches should check it repeatedly.
  package static var isReadingCancelled: Bool { Cancellation.ofFetch?.isCancelled == true }
}
