import ObjectModel

extension NSCompositeAttributeDescription {
  /// The elements that hold a value by their key paths, in the order of the model; those of composites among them
  /// included. What the attribute holds is shown and edited by them.
  var valueElements: [(path: String, attribute: NSAttributeDescription)] {
    elements.flatMap { element -> [(path: String, attribute: NSAttributeDescription)] in
      guard let composite = element as? NSCompositeAttributeDescription else {
        return [("\(name).\(element.name)", element)]
      }
      return composite.valueElements.map { ("\(name).\($0.path)", $0.attribute) }
    }
  }
}
