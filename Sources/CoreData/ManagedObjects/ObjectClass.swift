/// The class of an entity's objects, with facts about it that the object graph needs.
final class ObjectClass: Sendable {
  let type: NSManagedObject.Type
  /// Whether the class overrides validation.
  let hasOwnRules: Bool
  /// The probe for tracked reads. It is stored here because accessing its static property costs more.
  let observation = Unmanaged.passUnretained(ObservationProbe.shared)

  fileprivate init(_ layout: EntityLayout) {
    type = ManagedObjectClasses.type(of: layout.entity)
    hasOwnRules = OverriddenMethods.overridesValidation(type)
  }
}

extension EntityLayout {
  /// The class of the entity's objects.
  var managedObjectClass: NSManagedObject.Type { objectClass(\.type) }

  /// Whether the class of the entity's objects overrides validation.
  var hasOwnRules: Bool { objectClass(\.hasOwnRules) }

  @inline(__always)
  var observation: Unmanaged<ObservationProbe> {
    graph.withObject({ ObjectClass(self) }, { $0.observation })
  }

  private func objectClass<Value>(_ value: (ObjectClass) -> Value) -> Value {
    graph.withObject({ ObjectClass(self) }, value)
  }
}

/// The entities of a model by their classes.
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
  /// Looks up all entities' classes and logs missing ones, when the model is first used for objects.
  func resolveClasses() { _ = classes }

  private var classes: ModelClasses { graph.object { ModelClasses(self) } }

  /// Returns the layout of the first entity that uses a class.
  func layout(of type: NSManagedObject.Type) -> EntityLayout? {
    classes.layouts[ObjectIdentifier(type)]
  }
}
