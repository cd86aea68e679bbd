import ObjectModel

extension NSCompositeAttributeDescription {
  /// The elements of the attribute that hold values, by key path and in the order of the model, including nested
  /// ones. The attribute's value is shown and edited through them.
  var valueElements: [(path: String, attribute: NSAttributeDescription)] {
    elements.flatMap { element -> [(path: String, attribute: NSAttributeDescription)] in
      guard let composite = element as? NSCompositeAttributeDescription else {
        return [("\(name).\(element.name)", element)]
      }
      return composite.valueElements.map { ("\(name).\($0.path)", $0.attribute) }
    }
  }
}
