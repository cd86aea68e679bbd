/// A limit on the number of values that are created from an archive.
///
/// Objects in an archive may be shared: if a few objects each refer to the next one several times, they expand
/// to a practically infinite number of values.
final class WorkBudget {
  private var room: Int

  /// Creates a budget. The default is far more than any model needs.
  init(_ room: Int = 1_000_000) {
    self.room = room
  }

  /// Spends a part of the budget; returns false if it is exhausted.
  func spend(_ amount: Int = 1) -> Bool {
    room -= amount
    return room >= 0
  }
}
