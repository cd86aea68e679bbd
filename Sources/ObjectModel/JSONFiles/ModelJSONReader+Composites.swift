extension ModelJSONReader {
  /// Reads the named groups of attributes.
  func readComposites(_ fields: inout JSONFields) throws -> [ModelComposite] {
    var names: Set<String> = []
    return try fields.objects("composites") { group in
      let name = try group.requiredText("name")
      guard names.insert(name).inserted else {
        throw group.failure("name", "the composite '\(name)' is there twice.")
      }
      return ModelComposite(name: name, elements: try readElements(&group, owner: name))
    }
  }

  func readElements(
    _ fields: inout JSONFields, owner: String
  ) throws -> [NSAttributeDescription] {
    try fields.objects("elements") { element in
      let path = element.path(of: "type")
      guard let attribute = try readProperty(&element, entity: owner) as? NSAttributeDescription
      else { throw ModelFileError.malformed(url, "\(path): an element is no attribute.") }
      return attribute
    }
  }

  /// Gives each composite attribute copies of the elements of the group that it names.
  func fillComposites(from groups: [ModelComposite]) throws {
    var unfolding = CompositeUnfolding(groups)
    for (attribute, place) in openComposites {
      do {
        try unfolding.fill(attribute)
      } catch let failure as CompositeUnfolding.Failure {
        throw ModelFileError.malformed(url, "\(place): \(failure.reason)")
      }
    }
  }
}
