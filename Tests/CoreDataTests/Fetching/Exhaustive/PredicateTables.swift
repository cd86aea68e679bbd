import Predicates

/// The parts of the formats in the exhaustive tests: attributes of a ``TypeWorld``, constants at the limits of their
/// types, computed expressions, and collections.
enum PredicateTables {
  static let attributes = TypeWorld.attributes.map(\.name)

  /// Arguments of functions that are not collections.
  static let operands =
    attributes + [
      "next", "next.double", "nil", "0", "-1", "200", "9223372036854775807",
      "-9223372036854775808", "1.5", "1e300", "CAST(\"inf\", \"NSNumber\")", "\"\"", "\"7\"",
      "\"x\"", "CAST(1e17, \"NSDate\")", "YES", "CAST(\"9e127\", \"NSDecimalNumber\")",
      "CAST(CAST(\"-inf\", \"NSNumber\"), \"NSDate\")", "CAST(\"AQID\", \"NSData\")",
      "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9", "CAST(\"urn:x\", \"NSURL\")", "SELF",
    ]
  static let collections = [
    "#some", "#some.whole", "#some.double", "#some.money", "#some.text", "#some.date", "#some.uuid",
    "#some.flag", "#some.bytes", "list", "list.double", "list.date", "{}", "{nil}",
    "{1, 2.5, nil}", "{\"a\", 1}", "{whole, double}", "{text, nil, small}",
    "SUBQUERY(#some, $s, $s.whole > 0)", "SUBQUERY(#some, $s, $s.whole > 0).whole",
    "SUBQUERY(list, $s, $s.text == nil).date", "list.@unionOfObjects.double",
  ]

  static let operators = [
    "==", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
    "MATCHES",
  ]
  static let constants = [
    "nil", "0", "7", "-1", "9223372036854775807", "1.5", "1e300", "CAST(\"-inf\", \"NSNumber\")",
    "\"\"", "\"7\"", "\"[\"", "\"Élan\"", "CAST(0, \"NSDate\")", "CAST(1e17, \"NSDate\")",
    "CAST(\"AQID\", \"NSData\")", "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9",
    "CAST(\"urn:x\", \"NSURL\")", "CAST(\"0.1\", \"NSDecimalNumber\")",
    "CAST(\"9e127\", \"NSDecimalNumber\")", "YES", "{}", "{1}", "{nil}", "{0, 7}", "{7, 0}",
    "{\"a\", 7, nil}", "{nil, nil}", "{1, 2, 3}", "{\"\", \"z\"}",
    "{CAST(-1e9, \"NSDate\"), CAST(1e9, \"NSDate\")}",
  ]
  static let computed = [
    "whole * 12", "double / small", "money + whole", "text.length", "uppercase:(text)", "-small",
    "next.double", "next.next.text", "next", "SELF", "#some.@count", "#some.@max.double",
    "list[0].whole", "TERNARY(flag == YES, whole, double)", "whole & small", "bytes.length",
    "CAST(text, \"NSNumber\")", "#some", "#some.text", "list.double", "sum:(#some.whole)",
  ]
  static let manyValued = [
    "#some.text", "#some.double", "list.date", "#some", "#some.next.text", "text", "{1, 2}", "nil",
    "next", "{}", "{nil}", "{text, uri}",
  ]

  /// All functions except `random`, `now`, and the one that needs Apple's Core Location.
  static var functions: [PredefinedFunction] {
    PredefinedFunction.allCases.filter { $0 != .random && $0 != .now && $0 != .distance }
  }

  /// Returns calls to a function with arguments of every type.
  static func calls(of function: PredefinedFunction) -> [String] {
    func call(_ arguments: [String]) -> String {
      "\(function.rawValue)(\(arguments.joined(separator: ", ")))"
    }
    let all = operands + collections
    switch function {
    case .cast:
      let types = [
        "NSString", "NSNumber", "NSDecimalNumber", "NSDate", "NSData", "NSUUID", "NSURL", "Foo",
      ]
      return types.flatMap { type in all.map { "CAST(\($0), \"\(type)\")" } }
    case .elementAtIndex:
      let places = ["0", "1", "-1", "9", "FIRST", "LAST", "SIZE", "\"x\"", "nil", "1.5", "1e300"]
      return places.flatMap { place in all.map { "(\($0))[\(place)]" } }
    case _ where function.argumentCount == 2...2:
      return operands.flatMap { left in operands.map { call([left, $0]) } }
        + collections.map { call([$0, "1"]) }
    case _ where function.argumentCount.upperBound == .max:
      // The calls with operands have three arguments, because in a request for dictionaries such a function of a single
      // attribute aggregates all rows.
      return collections.map { call([$0]) } + operands.map { call([$0, "double", "1"]) }
    default: return all.map { call([$0]) }
    }
  }

  private static func options(_ sign: String) -> [String] {
    if sign == "<" { return ["", "[l]"] }
    let isText = ["IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "=="].contains(
      sign)
    return isText ? ["", "[c]", "[cd]", "[l]", "[n]"] : [""]
  }

  /// Returns comparisons of strings by an operator, because a sample of all comparisons contains few of them.
  static func textComparisons(_ sign: String) -> [String] {
    let texts = [
      "text", "uri", "uppercase:(text)", "next.text", "next.next.text", "\"[\"", "\"Élan\"", "\"\"",
      "uuid.UUIDString", "whole.stringValue", "CAST(\"urn:x\", \"NSURL\")", "nil",
    ]
    return options(sign).flatMap { option in
      texts.flatMap { left in
        texts.flatMap { right in
          ["", "NOT "].map { "\($0)\(left) \(sign)\(option) \(right)" }
        }
      }
        + ["ANY", "ALL", "NONE"].flatMap { modifier in
          texts.map { "\(modifier) #some.text \(sign)\(option) \($0)" }
        }
    }
  }

  /// Returns comparisons by an operator, with and without the options for strings.
  static func comparisons(_ sign: String) -> [String] {
    options(sign).flatMap { option in
      let sign = sign + option
      let values = attributes + computed
      var formats = values.flatMap { left in
        (attributes + constants + computed).map { "\(left) \(sign) \($0)" }
      }
      formats += values.flatMap { left in constants.map { "NOT \(left) \(sign) \($0)" } }
      formats += constants.flatMap { left in
        (attributes + constants).map { "\(left) \(sign) \($0)" }
      }
      formats += manyValued.flatMap { left in
        (constants + attributes + ["#some.text", "list.double"]).flatMap { right in
          ["ANY", "ALL", "NONE"].map { "\($0) \(left) \(sign) \(right)" }
        }
      }
      return formats
    }
  }
}
