/// A small, fast, splittable source of random numbers: SplitMix64.
///
/// The same seed gives the same numbers on every machine, and so does every drawing method here:
/// the standard library's `random(in:using:)` may change how it uses a generator from one release
/// to the next, so the sample does not use it.
///
/// The tests' generator (`FixtureSupport`) is the same algorithm written once more: it belongs to
/// tests, which the sample cannot import, and tests of the modules below the sample's cannot import
/// this one.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private static let goldenGamma: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  /// A generator whose sequence depends on `seed` alone.
  public init(seed: UInt64) {
    state = seed
  }

  /// The generator of one row of one stream, independent of every other row's.
  ///
  /// With it row 900,000 is made without making the 900,000 before it.
  public init(seed: UInt64, stream: UInt64, index: Int) {
    let streamSeed = Self.mixed(seed &+ Self.goldenGamma &* (stream &+ 1))
    state = Self.mixed(streamSeed ^ Self.mixed(UInt64(bitPattern: Int64(index)) &+ 1))
  }

  /// Spreads every bit of a number over all 64 bits of the result; a bijection.
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

  /// A generator that goes its own way from here; this one moves on by one number.
  public mutating func split() -> SeededGenerator {
    SeededGenerator(seed: next())
  }

  /// A number of the range, each equally likely (to within 2⁻³² for ranges of sample size).
  public mutating func number(in range: ClosedRange<Int>) -> Int {
    let count = UInt64(range.upperBound - range.lowerBound) + 1
    return range.lowerBound + Int(next().multipliedFullWidth(by: count).high)
  }

  /// True in `part` of `whole` cases.
  public mutating func chance(_ part: Int, in whole: Int) -> Bool {
    number(in: 0...whole - 1) < part
  }

  /// An element of a list that is not empty, each equally likely.
  public mutating func element<Element>(of list: [Element]) -> Element {
    list[number(in: 0...list.count - 1)]
  }

  /// An element of a list that is not empty, the first ones likelier: lists are written with the
  /// frequent first.
  public mutating func frequentElement<Element>(of list: [Element]) -> Element {
    let last = list.count - 1
    return list[min(number(in: 0...last), number(in: 0...last))]
  }
}
