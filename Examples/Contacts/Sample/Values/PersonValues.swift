/// The values of one `Person` row.
public struct PersonValues: Equatable, Sendable {
  /// The given name, which is usually typical for the person's age.
  public var firstName: String
  /// The family name.
  public var lastName: String
  /// The age in whole years, 1 … 97.
  public var age: Int16
  /// The person's position in an order that a user might have arranged: 0, 1, 2 … without gaps, unrelated to the
  /// other values.
  public var displayOrder: Int32
}

extension SamplePlan {
  /// Returns the values of person `index`, which is in 0 ..< ``people``.
  public func person(_ index: Int) -> PersonValues {
    var generator = SeededGenerator(seed: seed, stream: Stream.person, index: index)
    let age = drawAge(&generator)
    return PersonValues(
      firstName: drawFirstName(age: age, &generator),
      lastName: generator.frequentElement(of: NameLists.lastNames),
      age: Int16(age),
      displayOrder: Int32(personOrder.position(of: index))
    )
  }

  private func drawAge(_ generator: inout SeededGenerator) -> Int {
    switch generator.number(in: 0...99) {
    case 0..<10: generator.number(in: 1...17)
    case 10..<42: generator.number(in: 18...34)
    case 42..<75: generator.number(in: 35...54)
    case 75..<94: generator.number(in: 55...74)
    default: generator.number(in: 75...97)
    }
  }

  func drawFirstName(age: Int, _ generator: inout SeededGenerator) -> String {
    // One in eight has a name that is typical for a random age.
    let age = generator.chance(1, in: 8) ? generator.number(in: 1...97) : age
    return switch age {
    case ..<30: generator.frequentElement(of: NameLists.youngFirstNames)
    case ..<60: generator.frequentElement(of: NameLists.middleFirstNames)
    default: generator.frequentElement(of: NameLists.oldFirstNames)
    }
  }
}
