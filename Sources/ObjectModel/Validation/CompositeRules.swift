/// Requires that a composite attribute has elements with unique names and storable types and without external storage,
/// and that it does not contain itself.
enum CompositeRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    guard let composite = property as? NSCompositeAttributeDescription else { return }
    inspect(composite, within: [], property, entity, &inspection)
  }

  private static func inspect(
    _ composite: NSCompositeAttributeDescription, within outer: [NSCompositeAttributeDescription],
    _ property: NSPropertyDescription, _ entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    // Leave out the attribute's own name, which each report contains.
    let path = (outer + [composite]).dropFirst().map(\.name).joined(separator: ".")
    let place = path.isEmpty ? "the composite attribute" : "the element '\(path)'"
    if composite.elements.isEmpty {
      inspection.report(.invalidComposite, entity, property, "\(place) has no elements")
    }
    var seen: Set<String> = []
    for element in composite.elements {
      if element.name.isEmpty {
        inspection.report(.missingName, entity, property, "an element has no name")
      } else if !seen.insert(element.name).inserted {
        inspection.report(
          .repeatedName, entity, property, "two elements have the name '\(element.name)'")
      }
      if let inner = element as? NSCompositeAttributeDescription {
        // Compare the names too, because a composite that was read from a file contains a copy of itself,
        // not itself.
        if (outer + [composite]).contains(where: { $0 === inner || $0.hasSameName(as: inner) }) {
          inspection.report(
            .invalidComposite, entity, property,
            "\(place) contains itself through its element '\(element.name)'")
        } else {
          inspect(inner, within: outer + [composite], property, entity, &inspection)
        }
      } else if element.attributeType == .undefinedAttributeType {
        inspection.report(
          .unstorableType, entity, property, "the element '\(element.name)' has no type")
      } else if element.attributeType == .objectIDAttributeType {
        inspection.report(
          .unstorableType, entity, property, "the element '\(element.name)' is an object ID")
      } else if element.allowsExternalBinaryDataStorage {
        inspection.report(
          .invalidComposite, entity, property,
          "the element '\(element.name)' allows external storage, which elements do not support")
      }
    }
  }
}

extension NSCompositeAttributeDescription {
  /// Returns the element at a path that begins with this attribute's name: `location.latitude`. Returns nil if there is
  /// none, and for an element that is a composite attribute itself.
  package final func element(at path: String) -> NSAttributeDescription? {
    var keys = path.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
    var composite = self
    while let key = keys.popFirst() {
      guard let element = composite.elements.first(where: { $0.name == key }) else { return nil }
      guard let inner = element as? NSCompositeAttributeDescription else {
        return keys.isEmpty ? element : nil
      }
      composite = inner
    }
    return nil
  }

  /// Returns whether two composites come from the same declaration in a model file.
  fileprivate final func hasSameName(as other: NSCompositeAttributeDescription) -> Bool {
    compositeName != nil && compositeName == other.compositeName
  }
}

extension [String: NSPropertyDescription] {
  /// Returns the composite attribute that contains the element at a path such as `location.latitude`; nil if there is
  /// none.
  func composite(containing path: String) -> NSCompositeAttributeDescription? {
    guard let end = path.firstIndex(of: "."),
      let composite = self[String(path[..<end])] as? NSCompositeAttributeDescription,
      composite.element(at: path) != nil
    else { return nil }
    return composite
  }
}
