import _FoundationICU

/// An ICU matcher, used by one thread at a time.
final class RegularExpressionEngine {
  enum Result {
    case matches
    case differs
    /// Matching was stopped because it exceeded the allowed time.
    case isSlow
    /// ICU may have given up without reporting it.
    case needsManySteps
    /// ICU gave up and reported it.
    case fails(String)
  }

  private let expression: OpaquePointer
  private var units: [UInt16] = []
  /// The time of ICU's first callback, and the time when matching must stop, in nanoseconds of uptime.
  private var began: UInt64 = 0
  private var end: UInt64 = 0
  private var allowance: TimeInterval = 0
  /// The number of steps up to ICU's last callback, in units of 10,000.
  private var steps: Int32 = 0
  /// The number of steps after which "no match" is not trusted. Foundation's ICU gives up after a certain number of
  /// backtracks, which took 30 to 70 million steps with the tested patterns. It then reports "no match" and no error.
  static let maximumSteps: Int32 = 2_900

  init(pattern: String, ignoresCase: Bool) throws {
    // ICU rejects the empty pattern.
    let units = Array((pattern.isEmpty ? "(?:)" : pattern).utf16)
    guard let count = Int32(exactly: units.count) else {
      throw InvalidPredicateError("the pattern after MATCHES is too long")
    }
    var status = U_ZERO_ERROR
    var place = UParseError()
    let flags = ignoresCase ? UInt32(bitPattern: Int32(UREGEX_CASE_INSENSITIVE.rawValue)) : 0
    let expression = swift_uregex_open(units, count, flags, &place, &status)
    guard let expression, status.rawValue <= U_ZERO_ERROR.rawValue else {
      if let expression { swift_uregex_close(expression) }
      throw InvalidPredicateError(
        "\"\(pattern)\" after MATCHES is not a regular expression: \(RegularExpressionEngine.reason(status))\(RegularExpressionEngine.text(of: place))"
      )
    }
    self.expression = expression
  }

  private init(copyOf expression: OpaquePointer) throws {
    var status = U_ZERO_ERROR
    guard let copy = swift_uregex_clone(expression, &status) else {
      throw InvalidPredicateError(
        "a regular expression cannot be used: \(RegularExpressionEngine.reason(status))")
    }
    self.expression = copy
    // The context is unretained: this object owns the expression and closes it when it is released.
    swift_uregex_setMatchCallback(
      copy,
      { context, steps in
        guard let context else { return 0 }
        let engine = Unmanaged<RegularExpressionEngine>.fromOpaque(context).takeUnretainedValue()
        engine.steps = steps
        return engine.mayContinue ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque(), &status)
    guard status.rawValue <= U_ZERO_ERROR.rawValue else {
      throw InvalidPredicateError(
        "a regular expression cannot be used: \(RegularExpressionEngine.reason(status))")
    }
  }

  deinit { swift_uregex_close(expression) }

  func copy() throws -> RegularExpressionEngine {
    try RegularExpressionEngine(copyOf: expression)
  }

  /// Matches a whole string, for at most `allowance` seconds.
  ///
  /// The returned seconds are the time that a slow string took, and 0 for a fast one. ICU calls back, and
  /// the clock is read, only after every 10,000 steps.
  func match(
    _ text: String, allowing allowance: TimeInterval
  ) -> (result: Result, seconds: TimeInterval) {
    units.removeAll(keepingCapacity: true)
    units.append(contentsOf: text.utf16)
    let length = units.count
    // Ensures that the buffer has a base address.
    units.append(0)
    guard let count = Int32(exactly: length) else { return (.fails("it is too long"), 0) }
    self.allowance = allowance
    began = 0
    steps = 0
    var status = U_ZERO_ERROR
    let matches = units.withUnsafeBufferPointer { units in
      // ICU keeps this pointer instead of a copy, so the match must run within the closure.
      swift_uregex_setText(expression, units.baseAddress, count, &status)
      return swift_uregex_matches(expression, -1, &status)
    }
    let seconds = began == 0 ? 0 : TimeInterval(now - began) / 1e9
    if status == U_REGEX_STOPPED_BY_CALLER || status == U_REGEX_TIME_OUT {
      return (.isSlow, seconds)
    }
    if status.rawValue > U_ZERO_ERROR.rawValue {
      return (.fails(RegularExpressionEngine.reason(status)), seconds)
    }
    if matches == 0, steps >= Self.maximumSteps { return (.needsManySteps, seconds) }
    return (matches == 0 ? .differs : .matches, seconds)
  }

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private var mayContinue: Bool {
    let now = now
    if began == 0 {
      began = now
      let span = max(0, allowance) * 1e9
      end = span < 1e18 ? now &+ UInt64(span) : .max
    }
    return now < end
  }
}
