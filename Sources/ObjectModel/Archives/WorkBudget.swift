/// How much may still be made of an archive.
///
/// Objects of an archive are shared: a few that each refer to the next one several times unfold to a
/// number that no time is long enough for.
final class WorkBudget {
  private var room: Int

  /// Far more than any model needs.
  init(_ room: Int = 1_000_000) {
    self.room = room
  }

  /// Takes a part; false when nothing is left.
  func spend(_ amount: Int = 1) -> Bool {
    room -= amount
    return room >= 0
  }
}
