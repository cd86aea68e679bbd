import CoreData

/// A value of a property: that of an element of a composite attribute, or the only one of any other property.
struct ValuePart {
  /// The key path, which begins with the name of the property.
  let path: String
  /// The element, or the property itself.
  let property: NSPropertyDescription
}

extension NSPropertyDescription {
  /// Whether stores keep the values of the property as they were set.
  var isKeptInRows: Bool {
    !isTransient && !(self is NSFetchedPropertyDescription)
      && !(self is NSDerivedAttributeDescription)
  }

  /// The values of the property, in the order of the model.
  var valueParts: [ValuePart] {
    guard let composite = self as? NSCompositeAttributeDescription else {
      return [ValuePart(path: name, property: self)]
    }
    return composite.elements.flatMap(\.valueParts).map {
      ValuePart(path: "\(name).\($0.path)", property: $0.property)
    }
  }

  /// Returns the values of the property that come from values of an older property, with the key paths of the latter.
  func valueSources(in old: NSPropertyDescription) -> [(part: ValuePart, oldPath: String)] {
    valueParts.compactMap { part in
      oldPath(of: part, in: old).map { (part: part, oldPath: $0) }
    }
  }

  private func oldPath(of part: ValuePart, in old: NSPropertyDescription) -> String? {
    guard let new = self as? NSCompositeAttributeDescription else { return old.name }
    guard let old = old as? NSCompositeAttributeDescription else { return nil }
    let keys = part.path.split(separator: ".").dropFirst().map(String.init)
    return new.oldKeys(of: keys[...], in: old).map { ([old.name] + $0).joined(separator: ".") }
  }
}
