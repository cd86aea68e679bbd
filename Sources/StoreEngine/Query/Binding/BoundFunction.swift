/// A function of the values of one row, computed by the same code in memory and in statements.
package struct BoundFunction: Equatable {
  package enum Operation: Equatable {
    /// A predefined function of predicates with one or two arguments, or an aggregate such as `max:(a, b, c)`.
    case predefined(PredefinedFunction)
    /// A property of a Foundation type: `name.length`.
    case key(String)
    /// A method of a Foundation type: `FUNCTION(name, "stringByAppendingString:", "x")`.
    case message(String)
    /// `CAST(value, "NSString")`.
    case cast(String)
  }

  package let operation: Operation
  package let argumentKinds: [ValueKind]

  /// Whether the function is the size of data: `photo.length`.
  package var isByteCount: Bool { operation == .key("length") && argumentKinds == [.data] }

  /// Returns the result for arguments whose types are ``argumentKinds``.
  package func value(_ arguments: [StoredValue]) throws -> StoredValue {
    StoredValue(try result(zip(argumentKinds, arguments).map { $0.scalar($1) }))
  }

  /// Returns the result for one or two arguments. A function with one argument ignores the second.
  package func result(_ first: Scalar, _ second: Scalar) throws -> Scalar {
    switch operation {
    case .predefined(let function) where function.isScalar:
      return try function.value(first, second, nilRule: .store)
    case .key(let key):
      // A key is read like a message, with the rules of a store for nil.
      return try MessageEvaluator.scalarValue(of: key, to: first, arguments: [], nilRule: .store)
    case .cast(let type): return try ValueCast.value(first, to: type, nilRule: .store)
    case .message, .predefined:
      return try result(argumentKinds.count == 1 ? [first] : [first, second])
    }
  }

  package func result(_ arguments: [Scalar]) throws -> Scalar {
    switch operation {
    case .predefined(let function) where !function.isScalar:
      var statistic = Statistic(function, nilRule: .store)
      // All aggregates skip nil arguments, including `count:`.
      for argument in arguments where !argument.isNull { try statistic.add(argument) }
      return try statistic.result()
    case .message(let selector):
      return try MessageEvaluator.scalarValue(
        of: selector, to: arguments.first ?? .null, arguments: Array(arguments.dropFirst()),
        nilRule: .store)
    case .predefined, .key, .cast:
      return try result(arguments.first ?? .null, arguments.count > 1 ? arguments[1] : .null)
    }
  }
}

// MARK: As text in statements

extension BoundFunction {
  /// The name of the function in a statement: the operation and, after a space, a letter for each argument. It
  /// consists of fixed names only, and never of text that a user wrote.
  package var name: String {
    let name =
      switch operation {
      case .predefined(let function): function.rawValue
      case .key(let key): "." + key
      case .message(let selector): "-" + selector
      case .cast(let type): "=" + type
      }
    return name + " " + String(argumentKinds.map(\.letter))
  }

  /// Creates the function that a name in a statement denotes; nil for an unknown name.
  package init?(name: String) {
    let parts = name.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts[0].first else { return nil }
    argumentKinds = parts[1].compactMap(ValueKind.init(letter:))
    guard argumentKinds.count == parts[1].count else { return nil }
    let rest = String(parts[0].dropFirst())
    switch first {
    case ".": operation = .key(rest)
    case "-": operation = .message(rest)
    case "=": operation = .cast(rest)
    default:
      guard let function = PredefinedFunction(rawValue: String(parts[0])) else { return nil }
      operation = .predefined(function)
    }
  }
}

// MARK: Kinds

extension BoundFunction {
  /// The type of the result; nil if the function does not support arguments of these types.
  package var kind: ValueKind? {
    guard argumentKinds.allSatisfy(\.isScalar) else { return nil }
    switch operation {
    case .predefined(let function): return Self.kind(function, argumentKinds)
    case .key(let key):
      guard let owner = argumentKinds.first else { return nil }
      // Numbers of all types have the same properties.
      return Self.keys[owner.isNumber ? .double : owner]?[key]
    case .message(let selector): return Self.kind(ofMessage: selector, argumentKinds)
    case .cast(let type): return Self.casts[type]
    }
  }

  private static func kind(_ function: PredefinedFunction, _ arguments: [ValueKind]) -> ValueKind? {
    func numbers(_ result: ValueKind) -> ValueKind? {
      arguments.allSatisfy { $0.isNumber || $0 == .null } ? result : nil
    }
    let common = arguments.reduce(ValueKind.null) { $0.union($1) ?? .opaque }
    switch function {
    case .add, .subtract, .multiply, .divide, .modulus, .raise: return numbers(common)
    case .squareRoot, .logarithm, .naturalLogarithm, .exponential: return numbers(.double)
    case .floor, .ceiling, .truncate, .absolute: return numbers(common)
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      return numbers(.integer)
    case .uppercase, .lowercase, .canonical:
      return arguments.allSatisfy { $0 == .text || $0 == .null } ? .text : nil
    case .length: return arguments.allSatisfy { $0 == .text || $0 == .null } ? .integer : nil
    case .sum: return numbers(common)
    case .average, .median:
      return common == .date ? .date : numbers(common == .decimal ? common : .double)
    case .standardDeviation: return numbers(common == .decimal ? common : .double)
    case .minimum, .maximum: return common.isOrdered || common == .null ? common : nil
    case .count: return .integer
    default: return nil
    }
  }

  /// The properties of Foundation types by type and name, with the types of their values.
  private static let keys: [ValueKind: [String: ValueKind]] = [
    .text: [
      "length": .integer, "uppercaseString": .text, "uppercased": .text, "lowercaseString": .text,
      "lowercased": .text, "capitalizedString": .text, "capitalized": .text, "intValue": .integer,
      "integerValue": .integer, "longLongValue": .integer, "doubleValue": .double,
      "floatValue": .double, "boolValue": .integer, "lastPathComponent": .text,
      "pathExtension": .text,
    ],
    .double: [
      "intValue": .integer, "integerValue": .integer, "longLongValue": .integer,
      "doubleValue": .double, "floatValue": .double, "boolValue": .integer, "stringValue": .text,
    ],
    .date: [
      "timeIntervalSinceReferenceDate": .double, "timeIntervalSince1970": .double,
      "timeIntervalSinceNow": .double,
    ],
    .data: ["length": .integer],
    .uuid: ["UUIDString": .text, "uuidString": .text],
    .uri: [
      "absoluteString": .text, "path": .text, "lastPathComponent": .text, "pathExtension": .text,
      "host": .text, "scheme": .text, "query": .text, "fragment": .text, "port": .integer,
    ],
  ]

  /// Returns the type of a method's result for a receiver and arguments of some types; nil if the method does not
  /// support them.
  private static func kind(ofMessage selector: String, _ kinds: [ValueKind]) -> ValueKind? {
    guard let receiver = kinds.first, kinds.count > 1, receiver != .null else { return nil }
    if selector == "isEqual:" { return kinds.count == 2 ? .integer : nil }
    // Use one letter for all numbers, because the methods accept any type of number.
    let arguments = String(kinds.dropFirst().map { $0.isNumber ? "n" : $0.letter })
    let table = receiver.isNumber ? numberMessages : messages[receiver]
    return table?[selector + arguments]
  }

  /// The methods by receiver type, selector and letters of arguments.
  private static let messages: [ValueKind: [String: ValueKind]] = [
    .text: [
      "stringByAppendingString:t": .text, "stringByAppendingPathComponent:t": .text,
      "stringByAppendingPathExtension:t": .text, "substringFromIndex:n": .text,
      "substringToIndex:n": .text,
      "isEqualToString:t": .integer, "hasPrefix:t": .integer, "hasSuffix:t": .integer,
      "containsString:t": .integer, "localizedCaseInsensitiveContainsString:t": .integer,
      "localizedStandardContainsString:t": .integer, "compare:t": .integer,
      "caseInsensitiveCompare:t": .integer, "localizedCompare:t": .integer,
      "localizedCaseInsensitiveCompare:t": .integer, "localizedStandardCompare:t": .integer,
    ],
    .date: [
      "dateByAddingTimeInterval:n": .date, "addTimeInterval:n": .date,
      "timeIntervalSinceDate:d": .double, "compare:d": .integer, "earlierDate:d": .date,
      "laterDate:d": .date, "isEqualToDate:d": .integer,
    ],
    .uri: ["URLByAppendingPathComponent:t": .uri, "URLByAppendingPathExtension:t": .uri],
  ]

  private static let numberMessages: [String: ValueKind] = [
    "compare:n": .integer, "isEqualToNumber:n": .integer, "decimalNumberByAdding:n": .decimal,
    "decimalNumberBySubtracting:n": .decimal, "decimalNumberByMultiplyingBy:n": .decimal,
    "decimalNumberByDividingBy:n": .decimal,
  ]

  private static let casts: [String: ValueKind] = [
    "NSString": .text, "NSNumber": .double, "NSDecimalNumber": .decimal, "NSDate": .date,
    "NSData": .data, "NSUUID": .uuid, "NSURL": .uri,
  ]
}

extension ValueKind: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(letter) }
}
