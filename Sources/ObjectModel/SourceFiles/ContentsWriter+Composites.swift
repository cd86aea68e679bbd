extension ContentsWriter {
  /// Returns a `<composite>`: a named group of attributes.
  func composite(_ composite: ModelComposite) throws -> ModelElement {
    var element = ModelElement("composite", ["name": composite.name])
    element.children = try composite.elements.map { try attribute($0, entity: composite.name) }
    return element
  }

  /// Records the name of each composite attribute's composite, and creates composites for attributes that have
  /// none, as in models that were compiled or built in code.
  mutating func nameComposites(of model: NSManagedObjectModel) {
    composites = model.composites
    var names = Set(composites.map(\.name))
    var waiting: [(NSCompositeAttributeDescription, String)] = []
    func collect(_ attributes: [NSPropertyDescription], _ owner: String) {
      for case let attribute as NSCompositeAttributeDescription in attributes {
        waiting.append((attribute, owner))
      }
    }
    for entity in model.entities { collect(entity.ownProperties, entity.name ?? "") }
    for composite in composites { collect(composite.elements, composite.name) }
    var place = 0
    // The list grows, because the elements of a new composite may be composite attributes too.
    while place < waiting.count {
      let (attribute, owner) = waiting[place]
      place += 1
      if let name = attribute.compositeName, names.contains(name) {
        compositeNames[ObjectIdentifier(attribute)] = name
        continue
      }
      let wanted = attribute.compositeName ?? "\(owner)_\(attribute.name)"
      var name = wanted
      var number = 2
      while names.contains(name) {
        name = "\(wanted)\(number)"
        number += 1
      }
      names.insert(name)
      composites.append(ModelComposite(name: name, elements: attribute.elements))
      compositeNames[ObjectIdentifier(attribute)] = name
      collect(attribute.elements, name)
    }
  }
}
