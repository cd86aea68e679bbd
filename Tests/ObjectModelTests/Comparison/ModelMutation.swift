import FixtureSupport
import Foundation

@testable import ObjectModel

/// A change to a model, and the lines that a comparison with the unchanged model must return.
struct ModelMutation: Sendable {
  /// Makes the change, or returns nil if the model has nothing to which it applies.
  var apply: @Sendable (NSManagedObjectModel, inout SeededGenerator) -> [String]?

  init(_ apply: @escaping @Sendable (NSManagedObjectModel, inout SeededGenerator) -> [String]?) {
    self.apply = apply
  }

  /// All mutations, by their names.
  static let all: [String: ModelMutation] = [
    "add optional attribute": .onEntity { entity, _ in
      entity.ownProperties.append(Samples.attribute("zzNew", .stringAttributeType))
      return ["~ \(entity.name!).zzNew added, optional String"]
    },
    "add required attribute": .onEntity { entity, _ in
      let hasRows = entity.family.contains { !$0.isAbstract }
      entity.ownProperties.append(
        Samples.attribute("zzNew", .dateAttributeType, isOptional: false))
      return ["\(hasRows ? "!" : "~") \(entity.name!).zzNew added, required Date"]
    },
    "add required attribute with a default": .onEntity { entity, _ in
      let attribute = Samples.attribute("zzNew", .integer64AttributeType, isOptional: false)
      attribute.defaultValue = NSNumber(value: 7)
      entity.ownProperties.append(attribute)
      return ["~ \(entity.name!).zzNew added, required Integer 64 with default 7"]
    },
    "add transient attribute": .onEntity { entity, _ in
      let attribute = Samples.attribute("zzNew", .floatAttributeType, isOptional: false)
      attribute.isTransient = true
      entity.ownProperties.append(attribute)
      return ["= \(entity.name!).zzNew added, transient required Float"]
    },
    "remove attribute": .onAttribute { attribute, entity, _ in
      entity.ownProperties.removeAll { $0 === attribute }
      return ["\(attribute.mark) \(place(attribute, entity)) removed, was \(words(attribute))"]
    },
    "rename attribute": .onAttribute { attribute, entity, _ in
      guard !entity.isNamed(attribute.name) else { return nil }
      let name = attribute.name
      attribute.explicitRenamingIdentifier = attribute.renamingIdentifier
      attribute.name = "zzRenamed"
      return ["\(attribute.mark) \(place(attribute, entity)) renamed, was \(name)"]
    },
    "make optional or required": .onAttribute { attribute, entity, _ in
      attribute.isOptional.toggle()
      guard attribute.mark == "~", !(attribute is NSDerivedAttributeDescription) else {
        return ["= " + optionality(attribute, entity)]
      }
      let hasRows = entity.family.contains { !$0.isAbstract }
      let isMissing = !attribute.isOptional && lacksValue(attribute) && hasRows
      return ["\(isMissing ? "!" : "~") \(optionality(attribute, entity))"]
    },
    "change type": .onAttribute { attribute, entity, random in
      let types: [NSAttributeType] = [
        .integer16AttributeType, .integer64AttributeType, .doubleAttributeType,
        .stringAttributeType, .dateAttributeType, .UUIDAttributeType,
      ]
      let numbers: Set<NSAttributeType> = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        .doubleAttributeType, .floatAttributeType, .decimalAttributeType,
      ]
      let old = attribute.attributeType
      guard let new = types.filter({ $0 != old }).randomElement(using: &random),
        old != .compositeAttributeType, attribute.customValueClassName == nil,
        !(attribute is NSDerivedAttributeDescription)
      else { return nil }
      attribute.attributeType = new
      let isInferred = numbers.contains(old) && numbers.contains(new)
      let mark = attribute.isTransient ? "=" : isInferred ? "~" : "!"
      let types2 = "\(old.modelFileName) → \(new.modelFileName)"
      return ["\(mark) \(place(attribute, entity)) type \(types2)"]
    },
    "toggle external storage": .onStoredAttribute { attribute, entity in
      attribute.allowsExternalBinaryDataStorage.toggle()
      return attribute.allowsExternalBinaryDataStorage
        ? "~ \(place(attribute, entity)) allows external storage"
        : "~ \(place(attribute, entity)) no longer allows external storage"
    },
    "toggle preservation": .onStoredAttribute { attribute, entity in
      attribute.preservesValueInHistoryOnDeletion.toggle()
      return attribute.preservesValueInHistoryOnDeletion
        ? "~ \(place(attribute, entity)) is preserved after deletion"
        : "~ \(place(attribute, entity)) is no longer preserved after deletion"
    },
    "set hash modifier": .onStoredAttribute { attribute, entity in
      let old = attribute.versionHashModifier.flatMap { $0.isEmpty ? nil : $0 } ?? "none"
      attribute.versionHashModifier = "zz"
      return "~ \(place(attribute, entity)) version hash modifier \(old) → zz"
    },
    "make transient": .onStoredAttribute { attribute, entity in
      attribute.isTransient = true
      return "~ \(place(attribute, entity)) becomes transient"
    },
    "change default": .onAttribute { attribute, entity, _ in
      guard attribute.archivedDefaultValue == nil,
        [.stringAttributeType, .undefinedAttributeType].contains(attribute.attributeType)
      else { return nil }
      let old = attribute.defaultText ?? "none"
      attribute.defaultValue = "zz"
      return ["= \(place(attribute, entity)) default \(old) → \"zz\""]
    },
    "add validation": .onAttribute { attribute, entity, _ in
      attribute.validationRules.append(ValidationRule(.format("SELF != nil")))
      let texts = attribute.ruleTexts
      let old = texts.count == 1 ? "none" : texts.dropLast().joined(separator: ", ")
      let new = texts.joined(separator: ", ")
      return ["= \(place(attribute, entity)) validation \(old) → \(new)"]
    },
    "change user info of a property": .onAttribute { attribute, entity, _ in
      attribute.userInfo = (attribute.userInfo ?? [:]).merging(["zz": "zz"]) { $1 }
      return ["= \(place(attribute, entity)) user info differs"]
    },
    "change delete rule": .onRelationship { relationship, entity in
      let old = relationship.deleteRule
      relationship.deleteRule = old == .cascadeDeleteRule ? .denyDeleteRule : .cascadeDeleteRule
      let rules = "\(old.modelFileName) → \(relationship.deleteRule.modelFileName)"
      return ["= \(place(relationship, entity)) delete rule \(rules)"]
    },
    "change cardinality": .onRelationship { relationship, entity in
      let mark = relationship.mark
      relationship.maxCount = relationship.isToMany ? 1 : 0
      let text = relationship.isToMany ? "to one → to many" : "to many → to one"
      return ["\(mark) \(place(relationship, entity)) \(text)"]
    },
    "change count": .onRelationship { relationship, entity in
      guard relationship.isToMany else { return nil }
      let old = relationship.countText
      relationship.minCount += 1
      return [
        "\(relationship.mark) \(place(relationship, entity)) count \(old) → \(relationship.countText)"
      ]
    },
    "change order": .onRelationship { relationship, entity in
      relationship.isOrdered.toggle()
      let text = relationship.isOrdered ? "unordered → ordered" : "ordered → unordered"
      return ["\(relationship.mark) \(place(relationship, entity)) \(text)"]
    },
    "rename relationship": .onRelationship { relationship, entity in
      guard !entity.isNamed(relationship.name) else { return nil }
      let name = relationship.name
      relationship.explicitRenamingIdentifier = relationship.renamingIdentifier
      relationship.name = "zzRenamed"
      return ["\(relationship.mark) \(place(relationship, entity)) renamed, was \(name)"]
    },
    "remove relationship with its inverse": .onRelationship { relationship, entity in
      guard let inverse = relationship.inverseRelationship, inverse !== relationship,
        let other = inverse.owner, inverse.inverseRelationship === relationship
      else { return nil }
      let lines = [
        "\(relationship.mark) \(place(relationship, entity)) removed, was \(words(relationship))",
        "\(inverse.mark) \(place(inverse, other)) removed, was \(words(inverse))",
      ]
      entity.ownProperties.removeAll { $0 === relationship }
      other.ownProperties.removeAll { $0 === inverse }
      return lines
    },
    "remove inverse": .onRelationship { relationship, entity in
      guard relationship.inverseRelationship != nil,
        relationship.inverseRelationship !== relationship
      else { return nil }
      let old = relationship.inverseRelationship?.name ?? ""
      relationship.inverseRelationship = nil
      return ["\(relationship.mark) \(place(relationship, entity)) inverse \(old) → none"]
    },
    "add entity": ModelMutation { model, _ in
      let entity = NSEntityDescription()
      entity.name = "ZZNew"
      entity.ownProperties = [Samples.attribute("zz", .stringAttributeType, isOptional: false)]
      model.entities.append(entity)
      return ["~ ZZNew added"]
    },
    "rename entity": .onEntity { entity, model in
      let name = entity.name!
      entity.explicitRenamingIdentifier = entity.renamingIdentifier
      entity.name = "ZZRenamed"
      for place in model.configurationTable.indices {
        model.configurationTable[place].entityNames =
          model.configurationTable[place].entityNames.map { $0 == name ? "ZZRenamed" : $0 }
      }
      return ["~ ZZRenamed renamed, was \(name)"]
    },
    "add constraint": .onAttribute { attribute, entity, _ in
      let old = entity.uniquenessConstraintNames.map { "(\($0.joined(separator: ", ")))" }
        .joined(separator: " ")
      guard !entity.uniquenessConstraintNames.contains([attribute.name]) else { return nil }
      entity.uniquenessConstraints.append([attribute.name])
      let new = (old.isEmpty ? "" : old + " ") + "(\(attribute.name))"
      return ["~ \(entity.name!) unique \(old.isEmpty ? "none" : old) → \(new)"]
    },
    "add index": .onAttribute { attribute, entity, _ in
      entity.indexes.append(
        NSFetchIndexDescription(
          name: "zzIndex",
          elements: [NSFetchIndexElementDescription(property: attribute, collationType: .binary)]))
      return ["= \(entity.name!) index zzIndex none → \(attribute.name)"]
    },
    "make abstract or concrete": .onEntity { entity, _ in
      entity.isAbstract.toggle()
      return entity.isAbstract
        ? ["! \(entity.name!) becomes abstract"] : ["~ \(entity.name!) is no longer abstract"]
    },
    "change class": .onEntity { entity, _ in
      let old = entity.managedObjectClassName!
      entity.representedClassName = "ZZClass"
      return ["= \(entity.name!) class \(old) → ZZClass"]
    },
    "set hash modifier of an entity": .onEntity { entity, _ in
      let old = entity.versionHashModifier.flatMap { $0.isEmpty ? nil : $0 } ?? "none"
      entity.versionHashModifier = "zz"
      return ["~ \(entity.name!) version hash modifier \(old) → zz"]
    },
    "move attribute to the parent": .onAttribute { attribute, entity, _ in
      guard let parent = entity.superentity, attribute.mark == "~",
        parent.property(named: attribute.name) == nil, parent.isAbstract,
        parent.subentities == [entity], entity.name != nil
      else { return nil }
      entity.ownProperties.removeAll { $0 === attribute }
      parent.ownProperties.append(attribute)
      return ["~ \(place(attribute, parent)) moved here from \(entity.name!)"]
    },
    "add parent above one": .onEntity { entity, model in
      let parent = NSEntityDescription()
      parent.name = "ZZParent"
      parent.isAbstract = true
      let old = entity.superentity
      old?.subentities.removeAll { $0 === entity }
      parent.subentities = [entity]
      old?.subentities.append(parent)
      model.entities.append(parent)
      return [
        "~ \(entity.name!) parent \(old?.name ?? "none") → ZZParent", "~ ZZParent added, abstract",
      ].sorted { $0.dropFirst(2) < $1.dropFirst(2) }
    },
    "add fetch request": ModelMutation { model, _ in
      guard let name = model.entities.first?.name else { return nil }
      model.fetchRequestTemplates["zz"] = FetchRequestTemplate(name: "zz", entityName: name)
      return ["= fetch request zz added"]
    },
    "add configuration": ModelMutation { model, _ in
      model.configurationTable.append(ModelConfiguration(name: "zz", entityNames: []))
      return ["= configuration zz added"]
    },
  ]
}
