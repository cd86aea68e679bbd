import FixtureSupport
import Foundation

@testable import ObjectModel

extension ModelMutation {
  static func onEntity(
    _ apply: @escaping @Sendable (NSEntityDescription, NSManagedObjectModel) -> [String]?
  ) -> ModelMutation {
    ModelMutation { model, random in
      guard let entity = model.entities.randomElement(using: &random), entity.name != nil else {
        return nil
      }
      return apply(entity, model)
    }
  }

  static func onAttribute(
    _ apply:
      @escaping @Sendable (NSAttributeDescription, NSEntityDescription, inout SeededGenerator) ->
      [String]?
  ) -> ModelMutation {
    ModelMutation { model, random in
      let attributes = model.entities.flatMap(\.ownProperties)
        .compactMap { $0 as? NSAttributeDescription }
      guard let attribute = attributes.randomElement(using: &random), let entity = attribute.owner
      else { return nil }
      return apply(attribute, entity, &random)
    }
  }

  /// Returns a mutation of an attribute whose settings all enter the version hash.
  static func onStoredAttribute(
    _ apply: @escaping @Sendable (NSAttributeDescription, NSEntityDescription) -> String
  ) -> ModelMutation {
    .onAttribute { attribute, entity, _ in
      guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription) else {
        return nil
      }
      return [apply(attribute, entity)]
    }
  }

  static func onRelationship(
    _ apply: @escaping @Sendable (NSRelationshipDescription, NSEntityDescription) -> [String]?
  ) -> ModelMutation {
    ModelMutation { model, random in
      let relationships = model.entities.flatMap(\.ownProperties)
        .compactMap { $0 as? NSRelationshipDescription }
      guard let relationship = relationships.randomElement(using: &random),
        let entity = relationship.owner
      else { return nil }
      return apply(relationship, entity)
    }
  }

  static func place(_ property: NSPropertyDescription, _ entity: NSEntityDescription) -> String {
    "\(entity.name ?? "").\(property.name)"
  }

  static func words(_ property: NSPropertyDescription) -> String { property.comparisonText }

  /// Returns whether rows would have no value if the attribute became required, because it has no default that this
  /// program can read. A composite attribute has the defaults of its elements.
  static func lacksValue(_ attribute: NSAttributeDescription) -> Bool {
    guard let composite = attribute as? NSCompositeAttributeDescription else {
      return attribute.defaultValue == nil
    }
    return composite.elements.contains { !$0.isOptional && lacksValue($0) }
  }

  static func optionality(
    _ property: NSPropertyDescription, _ entity: NSEntityDescription
  ) -> String {
    "\(place(property, entity)) becomes \(property.isOptional ? "optional" : "required")"
  }
}

extension NSPropertyDescription {
  /// The mark of a change that affects stores if and only if the property is stored.
  var mark: String { isTransient ? "=" : "~" }
}

extension NSEntityDescription {
  /// The entity and all its descendants.
  var family: [NSEntityDescription] { [self] + subentities.flatMap(\.family) }

  /// Returns whether a constraint or an index of the entity or of a descendant contains the name.
  func isNamed(_ name: String) -> Bool {
    family.contains { entity in
      entity.uniquenessConstraintNames.joined().contains(name)
        || entity.compoundIndexNames.joined().contains(name)
        || entity.indexes.contains { index in
          index.elements.contains { $0.propertyName == name }
        }
    }
  }
}
