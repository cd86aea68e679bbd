/// What the object graph knows of an entity: the class of its objects.
final class ObjectClass: Sendable {
  let type: NSManagedObject.Type
  /// Whether that class validates values by itself.
  let hasOwnRules: Bool
  /// Who knows whether reading a property has to be told; here, so that finding it costs nothing.
  let observation = Unmanaged.passUnretained(ObservationProbe.shared)

  fileprivate init(_ layout: EntityLayout) {
    type = ManagedObjectClasses.type(of: layout.entity)
    hasOwnRules = OverriddenMethods.overridesValidation(type)
  }
}

extension EntityLayout {
  /// The class of the entity's objects.
  var managedObjectClass: NSManagedObject.Type { objectClass(\.type) }

  /// Whether that class validates values by itself.
  var hasOwnRules: Bool { objectClass(\.hasOwnRules) }

  @inline(__always)
  var observation: Unmanaged<ObservationProbe> {
    graph.withObject({ ObjectClass(self) }, { $0.observation })
  }

  private func objectClass<Value>(_ value: (ObjectClass) -> Value) -> Value {
    graph.withObject({ ObjectClass(self) }, value)
  }
}

/// What the object graph knows of a model: the entities of classes.
final class ModelClasses: Sendable {
  /// The first entity of each class.
  fileprivate let layouts: [ObjectIdentifier: EntityLayout]

  fileprivate init(_ model: ModelLayout) {
    layouts = Dictionary(
      model.entities.map { (ObjectIdentifier($0.managedObjectClass), $0) },
      uniquingKeysWith: { first, _ in first })
    ManagedObjectClasses.reportMissingClasses(of: model.model)
  }
}

extension ModelLayout {
  /// Looks up the classes of all entities, and logs which are not there, the first time that the model is used for
  /// objects.
  func resolveClasses() { _ = classes }

  private var classes: ModelClasses { graph.object { ModelClasses(self) } }

  /// The layout of the entity that a class serves, the first where there are several.
  func layout(of type: NSManagedObject.Type) -> EntityLayout? {
    classes.layouts[ObjectIdentifier(type)]
  }
}
