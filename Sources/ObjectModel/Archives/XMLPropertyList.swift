import Foundation

/// Reads an XML property list, with the dictionaries that stand for identifiers there.
enum XMLPropertyList {
  private static let deepestNesting = 32

  /// The root value.
  static func read(_ data: Data) throws -> PropertyListValue {
    let object: Any
    do {
      object = try PropertyListSerialization.propertyList(from: data, format: nil)
    } catch {
      throw BinaryPropertyListReader.Failure(reason: "it is no property list.")
    }
    return try convert(object, depth: 0)
  }

  private static func convert(_ object: Any, depth: Int) throws -> PropertyListValue {
    guard depth < deepestNesting else {
      throw BinaryPropertyListReader.Failure(reason: "it is nested too deep.")
    }
    switch object {
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date)
    case let values as [Any]: return .array(try values.map { try convert($0, depth: depth + 1) })
    case let table as [String: Any]:
      if table.count == 1, let place = table["CF$UID"] as? NSNumber {
        return .uid(place.intValue)
      }
      return .dictionary(try table.mapValues { try convert($0, depth: depth + 1) })
    case let truth as Bool where type(of: object) == Bool.self: return .bool(truth)
    case let number as NSNumber:
      switch String(cString: number.objCType) {
      // A property list has no numbers of one byte; what looks like one is a truth value.
      case "c", "B": return .bool(number.boolValue)
      case "d", "f": return .real(number.doubleValue)
      default: return .integer(number.int64Value)
      }
    default:
      throw BinaryPropertyListReader.Failure(reason: "a value is of an unknown kind.")
    }
  }
}
