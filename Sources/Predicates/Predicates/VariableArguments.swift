/// Reads the values of a `CVaListPointer`, whose types only the format specifies.
enum VariableArguments {
  /// Returns the values for the arguments of a format, in order.
  ///
  /// Only C code can read the list without knowledge of the platform's calling convention. So C's
  /// `vsnprintf` prints each number with all its digits and each object as its address, and this function
  /// parses the text.
  static func values(for format: String, in list: CVaListPointer) throws -> [Any] {
    let scalars = Array(format.unicodeScalars)
    let conversions = try Lexer.tokens(of: format).tokens.compactMap { token -> Conversion? in
      guard case .argument(let kind) = token.kind else { return nil }
      return Conversion(kind, Array(scalars[token.range]))
    }
    guard !conversions.isEmpty else { return [] }
    // No conversion below prints a semicolon.
    let specification = conversions.map(\.specification).joined(separator: ";")
    // No number, hexadecimal fraction or address is longer than 63 characters.
    var buffer = [CChar](repeating: 0, count: conversions.count * 64)
    let length = specification.withCString { vsnprintf(&buffer, buffer.count, $0, list) }
    let text = String(
      decoding: buffer.prefix(max(0, Int(length))).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == conversions.count else {
      throw InvalidPredicateError("the variable arguments of \"\(format)\" cannot be read")
    }
    return zip(conversions, parts).map { $0.value($1) as Any }
  }

  /// Returns the number that `%a` printed. The locale of the program or thread determines the radix character, which
  /// may be a comma or a character outside ASCII.
  static func double(_ printed: Substring) -> Double? {
    let digits = printed.map { (digit: Character) -> Character in
      let isRadix = !digit.isASCII || !(digit.isLetter || digit.isNumber || "+-".contains(digit))
      return isRadix ? "." : digit
    }
    return Double(String(digits))
  }

  /// One argument of a format.
  private struct Conversion {
    enum Result { case object, text, wideText, signed, unsigned, double }
    let result: Result
    /// The conversion that is passed to `vsnprintf`.
    let specification: String

    init(_ kind: Token.ArgumentKind, _ spelling: [Unicode.Scalar]) {
      // Another letter may follow, as in the slip "%lud".
      let letter =
        spelling.dropFirst().first { !"0123456789.-+#hlqLzjt".unicodeScalars.contains($0) }
        ?? "@"
      var length = String(
        String.UnicodeScalarView(spelling.filter { "hlqLzjt".unicodeScalars.contains($0) }))
      switch kind {
      case .object, .keyPath:
        result = .object
        specification = "%p"
      case .string:
        result = letter == "S" || length == "l" ? .wideText : .text
        specification = "%p"
      case .double:
        result = .double
        // Hexadecimal digits represent a double exactly.
        specification = length == "L" ? "%La" : "%a"
      case .character:
        result = .signed
        // C promotes a character to an `int`.
        specification = "%d"
      case .pointer:
        result = .unsigned
        specification = "%lu"
      case .integer:
        // D, U and O are old names of ld, lu and lo.
        if "DUO".unicodeScalars.contains(letter) { length = "l" }
        if length == "q" || length == "L" { length = "ll" }
        result = "dicD".unicodeScalars.contains(letter) ? .signed : .unsigned
        specification = "%\(length)\(result == .signed ? "d" : "u")"
      }
    }

    func value(_ printed: Substring) -> Any? {
      switch result {
      case .signed: return Int64(printed)
      case .unsigned: return UInt64(printed)
      case .double: return VariableArguments.double(printed)
      case .object, .text, .wideText:
        let digits = printed.hasPrefix("0x") ? printed.dropFirst(2) : printed
        // "(nil)" does not parse as a number.
        guard let address = UInt(digits, radix: 16),
          let pointer = UnsafeRawPointer(bitPattern: address)
        else { return nil }
        return value(at: pointer)
      }
    }

    private func value(at pointer: UnsafeRawPointer) -> Any {
      switch result {
      case .text: return String(cString: pointer.assumingMemoryBound(to: CChar.self))
      case .wideText:
        let units = pointer.assumingMemoryBound(to: UInt16.self)
        var count = 0
        while units[count] != 0 { count += 1 }
        return String(decoding: UnsafeBufferPointer(start: units, count: count), as: UTF16.self)
      default:
        return ArgumentObjects.value(
          of: Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue())
      }
    }
  }
}
