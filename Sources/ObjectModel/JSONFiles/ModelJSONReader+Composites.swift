extension ModelJSONReader {
  /// Reads the composites, whose names must be unique.
  func readComposites(_ fields: inout JSONFields) throws -> [ModelComposite] {
    var names: Set<String> = []
    return try fields.objects("composites") { group in
      let name = try group.requiredText("name")
      guard names.insert(name).inserted else {
        throw group.failure("name", "the composite '\(name)' occurs twice.")
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
      else { throw ModelFileError.malformed(url, "\(path): an element is not an attribute.") }
      return attribute
    }
  }

  /// Fills each composite attribute with copies of the elements of the composite to which it
  /// refers.
  func fillComposites(from groups: [ModelComposite]) throws {
    // Use one `CompositeUnfolding` for all attributes, so that its limit applies to the whole
    // model.
    var unfolding = CompositeUnfolding(groups)
    for (attribute, place) in pendingComposites {
      do {
        try unfolding.fill(attribute)
      } catch let failure as CompositeUnfolding.Failure {
        throw ModelFileError.malformed(url, "\(place): \(failure.reason)")
      }
    }
  }
}
