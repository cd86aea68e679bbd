/// CONTAINS, BEGINSWITH, ENDSWITH or `==` with `[c]`, `[d]` or both, or CONTAINS or ENDSWITH without these options.
/// With them, only ASCII text is compared directly in the row, and Foundation folds other text. Without them, any text
/// is compared directly.
final class ASCIIMatchCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let anchor: Anchor
  private let ignoresCase: Bool
  /// Whether non-ASCII text is compared byte by byte too.
  private let isExact: Bool
  /// The bytes of the pattern, in lower case if case is ignored.
  private let pattern: UnsafeBufferPointer<UInt8>
  private let storage: ByteConstant
  private let matcher: StringMatcher

  /// The required position of the pattern.
  private enum Anchor { case anywhere, beginning, end, whole }

  /// Returns nil for other operators, for `==` with `[l]`, and for a non-ASCII pattern if case or diacritics are
  /// ignored.
  init?(_ accessor: AttributeAccessor, _ pattern: StringPattern) {
    // As Apple's headers say, `[n]` overrides the other options.
    let options: NSComparisonPredicate.Options =
      pattern.options.contains(.normalized) ? [] : pattern.options
    switch pattern.type {
    case .contains: anchor = .anywhere
    case .beginsWith: anchor = .beginning
    case .endsWith: anchor = .end
    // With `[l]`, strings with different bytes may be equal.
    case .equalTo where !options.contains(.localeSensitive): anchor = .whole
    default: return nil
    }
    ignoresCase = options.contains(.caseInsensitive)
    isExact = !ignoresCase && !options.contains(.diacriticInsensitive)
    guard isExact || pattern.pattern.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let lowers = ignoresCase
    storage = ByteConstant(pattern.pattern.utf8.map { lowers ? Self.lowered($0) : $0 })
    self.pattern = storage.bytes
    self.accessor = accessor
    matcher = pattern.matcher
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    if accessor.isInCell(frames) {
      return try accessor.cellBytes(frames).map { Truth(try holds($0)) } ?? .unknown
    }
    return Truth(try accessor.withBytes(frames, holds))
  }

  @inline(__always)
  private func holds(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Bool {
    // Folding turns some non-ASCII characters into ASCII, such as "é" into "e", so Foundation folds text that
    // contains non-ASCII characters.
    if isExact || bytes.allSatisfy({ $0 < 0x80 }) { return matches(bytes) }
    return try matcher.matches(String(decoding: bytes, as: UTF8.self))
  }

  private func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let last = bytes.count - pattern.count
    switch anchor {
    case .whole: return last == 0 && matches(bytes, at: 0)
    case .beginning: return !pattern.isEmpty && last >= 0 && matches(bytes, at: 0)
    case .end: return !pattern.isEmpty && last >= 0 && matches(bytes, at: last)
    case .anywhere:
      guard !pattern.isEmpty, last >= 0 else { return false }
      for start in 0...last where matches(bytes, at: start) { return true }
      return false
    }
  }

  @inline(__always)
  private func matches(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    for offset in 0..<pattern.count {
      let byte = bytes[start + offset]
      if (ignoresCase ? Self.lowered(byte) : byte) != pattern[offset] { return false }
    }
    return true
  }

  @inline(__always)
  private static func lowered(_ byte: UInt8) -> UInt8 { 65...90 ~= byte ? byte | 0x20 : byte }
}

/// A string operator that ``ASCIIMatchCondition`` does not support: LIKE, MATCHES, `<` or another order with options,
/// `==` with `[l]`, or one with `[c]` or `[d]` and a non-ASCII pattern.
final class TextMatchCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let matcher: StringMatcher

  init(_ accessor: AttributeAccessor, _ matcher: StringMatcher) {
    self.accessor = accessor
    self.matcher = matcher
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(
      try accessor.withBytes(frames) { try matcher.matches(String(decoding: $0, as: UTF8.self)) })
  }
}
