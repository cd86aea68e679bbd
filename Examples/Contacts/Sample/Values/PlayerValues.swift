/// The values of one `Player` row.
public struct PlayerValues: Equatable, Sendable {
  /// Given and family name.
  public var name: String
  /// In whole years, 17 … 39. Most players are in their twenties.
  public var age: Int16
}

extension SamplePlan {
  /// Returns the values of player `index`, which is in 0 ..< ``players``. The player's team is the one whose
  /// ``TeamValues/players`` contains the index.
  public func player(_ index: Int) -> PlayerValues {
    var generator = SeededGenerator(seed: seed, stream: Stream.player, index: index)
    let age = 17 + generator.number(in: 0...11) + generator.number(in: 0...11)
    let firstName = drawFirstName(age: age, &generator)
    return PlayerValues(
      name: "\(firstName) \(generator.frequentElement(of: NameLists.lastNames))", age: Int16(age))
  }
}
