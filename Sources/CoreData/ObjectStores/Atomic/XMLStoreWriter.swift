/// Writes a store in the format of Apple's XML stores.
///
/// Names of entities are uppercase, names of properties lowercase. Dates are seconds since 2001, and data is in
/// base64. A string with characters that XML cannot represent is also in base64, with an attribute that says so.
enum XMLStoreWriter {
  static func data(_ document: StoreDocument) throws -> Data {
    // The document type and the version are those of Apple's files.
    var out = Data(
      """
      <?xml version="1.0" standalone="no"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo>
              <version>134481920</version>
              <UUID>\(document.metadata[NSStoreUUIDKey] as? String ?? "")</UUID>
              <nextObjectID>\(document.nextKey)</nextObjectID>
              <metadata>
      """.utf8)
    out += try XMLStoreHeader.propertyList(document.metadata)
    out += Data("        </metadata>\n    </databaseInfo>\n".utf8)
    for object in document.objects { write(object, to: &out) }
    out += Data("</database>\n".utf8)
    return out
  }

  private static func write(_ object: StoreDocument.Object, to out: inout Data) {
    let layout = object.layout
    var text = "    <object type=\"\(quoted(layout.name.uppercased()))\" id=\"z\(object.key)\">\n"
    for (slot, value) in object.attributes {
      let property = layout.slots[slot]
      let name = quoted(property.name.lowercased())
      let (content, encoding) = content(value, property)
      text +=
        "        <attribute name=\"\(name)\" type=\"\(type(property))\"\(encoding)>\(content)"
        + "</attribute>\n"
    }
    for (slot, keys) in object.relationships {
      guard let relationship = layout.slots[slot].relationship else { continue }
      let name = quoted(layout.slots[slot].name.lowercased())
      let minimum = layout.slots[slot].isOptional ? 0 : relationship.minCount
      let maximum = layout.slots[slot].kind == .toOne ? 1 : max(0, relationship.maxCount)
      text +=
        "        <relationship name=\"\(name)\""
        + " type=\"\(minimum)/\(maximum)\""
        + " destination=\"\(quoted(relationship.destination.name.uppercased()))\""
      if !keys.isEmpty {
        text += " idrefs=\"\(keys.map { "z\($0)" }.joined(separator: " "))\""
      }
      text += "></relationship>\n"
    }
    out += Data((text + "    </object>\n").utf8)
  }

  private static func type(_ slot: PropertySlot) -> String {
    switch slot.storage {
    case .integer16: "int16"
    case .integer32: "int32"
    case .integer64: "int64"
    case .boolean: "bool"
    case .double: "double"
    case .float: "float"
    case .decimal: "decimal"
    case .date: "date"
    case .string: "string"
    case .uuid: "uuid"
    case .uri: "uri"
    default: "binary"
    }
  }

  /// Returns the content of an attribute's element, and an XML attribute with the encoding if it is not plain text.
  private static func content(_ value: StoredValue, _ slot: PropertySlot) -> (String, String) {
    switch value {
    case .null, .reference, .object: ("", "")
    case .integer(let number): ("\(number)", "")
    case .double(let number): (slot.storage == .date ? dateText(number) : "\(number)", "")
    case .decimal(let number): (number.stringValue, "")
    case .text(let text): plain(text)
    case .data(let data): (base64(data), "")
    case .uuid(let uuid): (uuid.uuidString, "")
    case .uri(let uri): plain(uri.absoluteString)
    }
  }

  /// Returns seconds with 20 decimals, as Apple's Core Data writes them, unless reading them would result in another
  /// number.
  private static func dateText(_ seconds: Double) -> String {
    let text = String(format: "%.20f", seconds)
    return Double(text) == seconds ? text : "\(seconds)"
  }

  private static func base64(_ data: Data) -> String {
    if data.isEmpty { return "" }
    return data.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed]) + "\n"
  }

  private static func plain(_ text: String) -> (String, String) {
    if !text.unicodeScalars.allSatisfy(\.isLegalInXML) {
      return (base64(Data(text.utf8)), " encoding=\"base64\"")
    }
    return (escaped(text), "")
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      // XML parsers convert an unescaped carriage return to a line feed.
      case "\r": result += "&#13;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func quoted(_ text: String) -> String {
    escaped(text).replacing(scalar: "\"", with: "&quot;")
  }
}
