/// What one `Player` row holds.
public struct PlayerValues: Equatable, Sendable {
  /// Given and family name.
  public var name: String
  /// Whole years, 17 … 39, most of them in the twenties.
  public var age: Int16
}

extension SamplePlan {
  /// The values of player `index`, 0 ..< ``players``; which team it plays for is said by
  /// ``TeamValues/players``.
  public func player(_ index: Int) -> PlayerValues {
    var generator = SeededGenerator(seed: seed, stream: Stream.player, index: index)
    let age = 17 + generator.number(in: 0...11) + generator.number(in: 0...11)
    let firstName = drawFirstName(age: age, &generator)
    return PlayerValues(
      name: "\(firstName) \(generator.frequentElement(of: NameLists.lastNames))", age: Int16(age))
  }
}
