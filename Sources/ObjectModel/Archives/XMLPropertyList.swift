/// Reads an XML property list, including the dictionaries that represent UIDs, the references in a keyed archive.
///
/// Foundation's reader is not used, because it converts these dictionaries to objects of a private class.
enum XMLPropertyList {
  /// Returns the root value.
  static func read(_ data: Data) throws -> PropertyListValue {
    let root: XMLNode
    do {
      root = try XMLNode.read(data, from: nil)
    } catch {
      throw BinaryPropertyListReader.Failure(reason: "it is not a property list.")
    }
    guard root.name == "plist", let value = root.children.first else {
      throw BinaryPropertyListReader.Failure(reason: "it is not a property list.")
    }
    return try convert(value)
  }

  // The recursion is safe, because `XMLNode` limits the depth of the tree.
  private static func convert(_ node: XMLNode) throws -> PropertyListValue {
    let text = node.text
    switch node.name {
    case "string": return .string(text)
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "array": return .array(try node.children.map(convert))
    case "dict": return try table(node)
    case "integer":
      let digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
      if let number = Int64(digits) { return .integer(number) }
      if let number = UInt64(digits) { return .unsigned(number) }
    case "real":
      if let number = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
        return .real(number)
      }
    case "data":
      // The text may have line breaks and indentation.
      if let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) {
        return .data(data)
      }
    case "date":
      if let date = try? Date(
        text.trimmingCharacters(in: .whitespacesAndNewlines), strategy: .iso8601)
      {
        return .date(date)
      }
    default: break
    }
    throw BinaryPropertyListReader.Failure(
      reason: "line \(node.line): <\(node.name)> is not a property list value.")
  }

  private static func table(_ node: XMLNode) throws -> PropertyListValue {
    var result: [String: PropertyListValue] = [:]
    var key: String?
    for child in node.children {
      if let name = key {
        result[name] = try convert(child)
        key = nil
      } else {
        guard child.name == "key" else {
          throw BinaryPropertyListReader.Failure(reason: "line \(child.line): a key is missing.")
        }
        key = child.text
      }
    }
    if let key {
      throw BinaryPropertyListReader.Failure(
        reason: "line \(node.line): the key '\(key)' has no value.")
    }
    // XML has no type for UIDs: a dictionary with this single key represents one.
    if result.count == 1, case .integer(let place)? = result["CF$UID"],
      let uid = Int(exactly: place)
    {
      return .uid(uid)
    }
    return .dictionary(result)
  }
}
