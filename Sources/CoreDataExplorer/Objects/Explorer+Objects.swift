import CoreData
import Foundation
import ObjectModel
import StoreInspection

extension Explorer {
  /// `/api/objects/NAME/pN` and below.
  func object(_ request: WebRequest) async throws -> WebResponse {
    guard request.path.count >= 4 else { throw WebFailure.notFound("which object?") }
    let entity = try entity(named: request.path[2])
    let (name, rest) = (request.path[3], Array(request.path.dropFirst(4)))
    let offset = try request.number("offset", WebRequest.places, else: 0)
    let limit = try request.number("limit", 1...500, else: 50)
    let model = store.model
    // An object that was new is known by its first name where it was made.
    let context = name.hasPrefix("t") ? context : contextToRead
    return try await limits.run(in: context) {
      do {
        let object = try context.existingObject(named: name, of: entity)
        switch (rest.first, rest.count) {
        case (nil, _): return try .json(try ObjectSummary(object, in: context))
        case ("data"?, 2): return try Self.bytes(rest[1], of: object)
        case ("by"?, 3):
          guard let other = model.entitiesByName[rest[1]],
            let relationship = other.relationshipsByName[rest[2]]
          else { throw WebFailure.notFound("there is no relationship \(rest[1]).\(rest[2])") }
          return try .json(
            try RelatedRows(
              naming: object, relationship, of: other, offset: offset, limit: limit, in: context))
        case (let key?, 1):
          guard let relationship = object.entity.relationshipsByName[key] else {
            throw WebFailure.notFound("\(object.entity.name ?? "") has no relationship \(key)")
          }
          return try .json(
            try RelatedRows(of: object, relationship, offset: offset, limit: limit, in: context))
        default: throw WebFailure.notFound("there is no page of this address")
        }
      }
    }
  }

  /// An attribute's value as a file.
  private static func bytes(_ key: String, of object: NSManagedObject) throws -> WebResponse {
    // Of a composite attribute an element is named by its key path.
    guard let name = key.split(separator: ".").first.map(String.init),
      object.entity.attributesByName[name] != nil
    else {
      throw WebFailure.notFound("\(object.entity.name ?? "") has no attribute \(key)")
    }
    let (data, ending): (Data, String)
    let isElement = key != name
    if isElement,
      (object.entity.attributesByName[name] as? NSCompositeAttributeDescription)?
        .element(at: key) == nil
    {
      throw WebFailure.notFound("\(name) has no element \(key)")
    }
    switch isElement ? object.value(forKeyPath: key) : object.value(forKey: key) {
    case let bytes as Data: (data, ending) = (bytes, "bin")
    case let text as String: (data, ending) = (Data(text.utf8), "txt")
    case let url as URL: (data, ending) = (Data(url.absoluteString.utf8), "txt")
    case let value?
    where object.entity.attributesByName[name]?.attributeType == .transformableAttributeType:
      (data, ending) = (Data(ValueJSON.text(of: value).utf8), "json")
    default: throw WebFailure.notFound("\(key) has no bytes")
    }
    let file = "\(RowName.text(object.objectID.primaryKey)) \(key).\(ending)"
    // Whatever it is, the browser is to keep it and not to show it.
    return WebResponse(
      type: "application/octet-stream",
      headers: [("Content-Disposition", "attachment; filename*=UTF-8''\(Address.escaped(file))")],
      body: .data(data))
  }
}
