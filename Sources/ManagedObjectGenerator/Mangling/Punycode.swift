/// Encodes identifiers with characters that symbols cannot contain: as RFC 3492 specifies, but with `_` between the
/// parts and `A` to `J` for the digits.
enum Punycode {
  /// Returns whether an identifier contains a character that symbols cannot contain.
  static func isNeeded(for identifier: String) -> Bool {
    !identifier.utf8.allSatisfy(isPlain)
  }

  /// Returns whether a name always needs backticks: `two words`, `1st`.
  static func isRaw(_ name: String) -> Bool {
    let first = name.utf8.first ?? 0
    return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
      || name.utf8.contains { $0 < 0x80 && !isPlain($0) }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
      true
    default: false
    }
  }

  /// Returns the identifier in ASCII.
  static func encode(_ identifier: String) -> String {
    // ASCII characters that symbols cannot contain, as in `a raw identifier`, are mapped to the range of surrogates.
    let points = identifier.unicodeScalars.map { scalar in
      scalar.isASCII && !isPlain(UInt8(scalar.value)) ? scalar.value + 0xD800 : scalar.value
    }
    let basic = points.filter { $0 < 0x80 }
    var output = basic.compactMap { Unicode.Scalar($0).map(Character.init) }
    if !basic.isEmpty { output.append("_") }
    var state = State(handled: basic.count, basic: basic.count)
    while state.handled < points.count {
      let next = points.filter { $0 >= state.point }.min() ?? state.point
      state.delta += Int(next - state.point) * (state.handled + 1)
      state.point = next
      for point in points {
        if point < next { state.delta += 1 }
        if point == next { output += state.writeDelta() }
      }
      state.delta += 1
      state.point += 1
    }
    return String(output)
  }

  private struct State {
    var point: UInt32 = 128
    var delta = 0
    var bias = 72
    var handled: Int
    let basic: Int

    private static let base = 36
    private static let least = 1
    private static let most = 26

    /// Writes the distance to the next code point as a variable-length integer.
    mutating func writeDelta() -> [Character] {
      var digits: [Character] = []
      var rest = delta
      var place = Self.base
      while true {
        let threshold = min(max(place - bias, Self.least), Self.most)
        if rest < threshold { break }
        digits.append(Self.digit(threshold + (rest - threshold) % (Self.base - threshold)))
        rest = (rest - threshold) / (Self.base - threshold)
        place += Self.base
      }
      digits.append(Self.digit(rest))
      adapt()
      return digits
    }

    private mutating func adapt() {
      delta = handled == basic ? delta / 700 : delta / 2
      handled += 1
      delta += delta / handled
      var offset = 0
      while delta > (Self.base - Self.least) * Self.most / 2 {
        delta /= Self.base - Self.least
        offset += Self.base
      }
      bias = offset + (Self.base - Self.least + 1) * delta / (delta + 38)
      delta = 0
    }

    private static func digit(_ number: Int) -> Character {
      number < 26
        ? Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8(number)))
        : Character(Unicode.Scalar(UInt8(ascii: "A") + UInt8(number - 26)))
    }
  }
}
