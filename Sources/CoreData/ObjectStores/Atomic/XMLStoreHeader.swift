/// The part of an XML store that precedes the objects.
struct XMLStoreHeader {
  let metadata: [String: Any]
  let nextKey: Int64
  private let data: Data
  private let lists: Range<Data.Index>

  init(_ data: Data, _ url: URL) throws {
    func text(_ element: String) throws -> (Range<Data.Index>, Data) {
      // Searches for the element, so that reading the metadata does not parse all objects.
      guard let begin = data.firstRange(of: Data("<\(element)>".utf8)),
        let end = data[begin.upperBound...].firstRange(of: Data("</\(element)>".utf8))
      else { throw StoreErrors.notAStore(url, "it lacks the <\(element)> of an XML store") }
      let range = begin.upperBound..<end.lowerBound
      return (range, Data(data[range]))
    }
    let (lists, plist) = try text("metadata")
    let list: Any
    do {
      list = try CheckedPropertyList.read(
        Data(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8) + plist)
    } catch {
      throw StoreErrors.damaged(url, "its metadata is not a property list", cause: error)
    }
    guard var metadata = list as? [String: Any] else {
      throw StoreErrors.damaged(url, "its metadata is not a dictionary")
    }
    let uuid = String(decoding: try text("UUID").1, as: UTF8.self)
    metadata[NSStoreUUIDKey] = uuid.trimmingCharacters(in: .whitespacesAndNewlines)
    let next = String(decoding: try text("nextObjectID").1, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard let nextKey = Int64(next), nextKey >= 0 else {
      throw StoreErrors.damaged(url, "its nextObjectID is not a number: \(next)")
    }
    self.metadata = metadata
    self.nextKey = nextKey
    self.data = data
    self.lists = lists
  }

  /// Returns the content of the file with its metadata replaced.
  func replacing(_ metadata: [String: Any]) throws -> Data {
    var new = data
    new.replaceSubrange(lists, with: try Self.propertyList(metadata))
    // The UUID is in an element outside of the property list.
    if let begin = new.firstRange(of: Data("<UUID>".utf8)),
      let end = new[begin.upperBound...].firstRange(of: Data("</UUID>".utf8)),
      let uuid = metadata[NSStoreUUIDKey] as? String
    {
      new.replaceSubrange(begin.upperBound..<end.lowerBound, with: Data(uuid.utf8))
    }
    return new
  }

  /// Returns the metadata as an XML property list, without the UUID, which has an element of its own, and the store's
  /// type, which is the same for all XML stores.
  static func propertyList(_ metadata: [String: Any]) throws -> Data {
    var list = metadata
    list[NSStoreUUIDKey] = nil
    list[NSStoreTypeKey] = nil
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    guard let begin = data.firstRange(of: Data("<plist".utf8)) else { return data }
    return Data("\n".utf8) + data[begin.lowerBound...]
  }
}
