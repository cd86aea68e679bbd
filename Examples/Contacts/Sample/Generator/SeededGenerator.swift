/// A small, fast, splittable source of random numbers: SplitMix64.
///
/// The same seed produces the same numbers on every machine, and so does every method here: the standard library's
/// `random(in:using:)` may use a generator differently from one release to the next, so the sample does not use it.
///
/// The tests' generator (`FixtureSupport`) duplicates this algorithm: the sample cannot import it, and tests of lower
/// modules cannot import this one.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private static let goldenGamma: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  /// Makes a generator whose sequence depends only on `seed`.
  public init(seed: UInt64) {
    state = seed
  }

  /// Makes the generator for one row of one stream, independent of all other rows.
  ///
  /// With it, row 900,000 can be generated without the rows before it.
  public init(seed: UInt64, stream: UInt64, index: Int) {
    let streamSeed = Self.mixed(seed &+ Self.goldenGamma &* (stream &+ 1))
    state = Self.mixed(streamSeed ^ Self.mixed(UInt64(bitPattern: Int64(index)) &+ 1))
  }

  /// Mixes every bit of a number into all 64 bits of the result; a bijection.
  static func mixed(_ number: UInt64) -> UInt64 {
    var z = number
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= Self.goldenGamma
    return Self.mixed(state)
  }

  /// Returns an independent generator, and advances this one by one number.
  public mutating func split() -> SeededGenerator {
    SeededGenerator(seed: next())
  }

  /// Returns a number in a range, uniformly distributed (to within 2⁻³² for ranges of the sample's size).
  public mutating func number(in range: ClosedRange<Int>) -> Int {
    let count = UInt64(range.upperBound - range.lowerBound) + 1
    return range.lowerBound + Int(next().multipliedFullWidth(by: count).high)
  }

  /// Returns true in `part` of `whole` cases.
  public mutating func chance(_ part: Int, in whole: Int) -> Bool {
    number(in: 0...whole - 1) < part
  }

  /// Returns an element of a non-empty list, uniformly distributed.
  public mutating func element<Element>(of list: [Element]) -> Element {
    list[number(in: 0...list.count - 1)]
  }

  /// Returns an element of a non-empty list, preferring the first ones: the lists are ordered by frequency.
  public mutating func frequentElement<Element>(of list: [Element]) -> Element {
    let last = list.count - 1
    return list[min(number(in: 0...last), number(in: 0...last))]
  }
}
