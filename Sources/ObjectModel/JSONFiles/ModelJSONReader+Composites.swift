import Foundation

extension ModelJSONReader {
  /// Reads the named groups of attributes.
  func readComposites(_ fields: inout JSONFields) throws -> [ModelComposite] {
    var names: Set<String> = []
    return try fields.objects("composites").map { group in
      var group = group
      let name = try group.requiredText("name")
      guard names.insert(name).inserted else {
        throw group.failure("name", "the composite '\(name)' is there twice.")
      }
      let elements = try readElements(&group, owner: name)
      try group.finish()
      return ModelComposite(name: name, elements: elements)
    }
  }

  func readElements(
    _ fields: inout JSONFields, owner: String
  ) throws -> [NSAttributeDescription] {
    try fields.objects("elements").map { element in
      var element = element
      let path = element.path(of: "type")
      guard let attribute = try readProperty(&element, entity: owner) as? NSAttributeDescription
      else { throw ModelFileError.malformed(url, "\(path): an element is no attribute.") }
      return attribute
    }
  }

  /// Gives each composite attribute copies of the elements of the group that it names.
  func fillComposites(from composites: [ModelComposite]) throws {
    let groups = Dictionary(
      composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (attribute, name, place) in openComposites {
      attribute.elements = try elements(of: name, in: groups, place: place, within: [])
    }
  }

  private func elements(
    of name: String, in groups: [String: ModelComposite], place: String, within open: [String]
  ) throws -> [NSAttributeDescription] {
    guard let group = groups[name] else {
      throw ModelFileError.malformed(url, "\(place): the composite '\(name)' is not in the model.")
    }
    guard !open.contains(name) else {
      throw ModelFileError.malformed(url, "\(place): the composite '\(name)' contains itself.")
    }
    return try group.elements.compactMap { element in
      let copy = element.copy() as? NSAttributeDescription
      if let nested = copy as? NSCompositeAttributeDescription, let inner = nested.compositeName {
        nested.elements = try elements(
          of: inner, in: groups, place: place, within: open + [name])
      }
      return copy
    }
  }
}
