import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

/// A defect in a valid model, and the problem that must be found.
private enum Defect: CaseIterable {
  case orderedToOne, textAsNumber, lostDestination, foreignDestination, ownParent, sameName
  case inheritedName, reservedName, unknownConstraint, unknownIndex, noType, lostInverse
  case negativeRange, sharedProperty, unknownFetch, unknownMember

  /// Changes the model at a random place.
  ///
  /// - Returns: The expected kind of problem with its location; nil if the change is not possible in the model.
  func make(
    in model: NSManagedObjectModel, with random: inout some RandomNumberGenerator
  ) -> (kind: ModelProblem.Kind, subject: String)? {
    guard let entity = model.entities.randomElement(using: &random), let name = entity.name else {
      return nil
    }
    let attributes = entity.ownProperties.compactMap { $0 as? NSAttributeDescription }
      .filter { !$0.isTransient && !($0 is NSDerivedAttributeDescription) }
    let relationships = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
    let attribute = attributes.randomElement(using: &random)
    let relationship = relationships.randomElement(using: &random)
    func place(_ property: NSPropertyDescription) -> String { "\(name).\(property.name)" }
    switch self {
    case .orderedToOne:
      guard let toOne = relationships.filter({ !$0.isToMany }).randomElement(using: &random) else {
        return nil
      }
      toOne.isOrdered = true
      return (.orderedToOne, place(toOne))
    case .textAsNumber:
      guard let number = attributes.filter(\.attributeType.isInteger).randomElement(using: &random)
      else { return nil }
      number.defaultValue = "many"
      return (.wrongDefault, place(number))
    case .lostDestination:
      guard let relationship else { return nil }
      relationship.destinationEntity = nil
      return (.missingDestination, place(relationship))
    case .foreignDestination:
      guard let relationship else { return nil }
      relationship.destinationEntity = Self.stranger
      return (.destinationOutsideModel, place(relationship))
    case .ownParent:
      let above = entity.rootEntity
      entity.subentities.append(above)
      return (.circularParents, name)
    case .sameName:
      guard attributes.count > 1 else { return nil }
      attributes[1].name = attributes[0].name
      return (.repeatedName, place(attributes[1]))
    case .inheritedName:
      guard let attribute, let inherited = entity.superentity?.properties.first else { return nil }
      attribute.name = inherited.name
      return (.inheritedName, place(attribute))
    case .reservedName:
      guard let attribute else { return nil }
      attribute.name = "objectID"
      return (.reservedName, place(attribute))
    case .unknownConstraint:
      entity.uniquenessConstraints.append(["no such key"])
      return (.invalidConstraint, name)
    case .unknownIndex:
      let element = NSFetchIndexElementDescription(
        propertyName: "no such key", collationType: .binary)
      entity.indexes.append(NSFetchIndexDescription(name: "new index", elements: [element]))
      return (.invalidIndex, name)
    case .noType:
      guard let attribute else { return nil }
      attribute.attributeType = .undefinedAttributeType
      return (.unstorableType, place(attribute))
    case .lostInverse:
      guard
        let relationship = relationships.filter({
          $0.inverseRelationship != nil && $0.inverseRelationship !== $0
        }).randomElement(using: &random)
      else { return nil }
      relationship.inverseRelationship = nil
      return (.missingInverse, place(relationship))
    case .negativeRange:
      guard let number = attributes.filter(\.attributeType.isInteger).randomElement(using: &random)
      else { return nil }
      number.validationRules = [
        ValidationRule(.minimum(.integer(5))), ValidationRule(.maximum(.integer(4))),
      ]
      return (.impossibleRange, place(number))
    case .sharedProperty:
      guard let attribute, let other = model.entities.first(where: { $0 !== entity }) else {
        return nil
      }
      other.ownProperties.append(attribute)
      return (.sharedDescription, place(attribute))
    case .unknownFetch:
      model.fetchRequestTemplates["new"] = FetchRequestTemplate(
        name: "new", entityName: "no such entity")
      return (.invalidFetchRequest, "the model")
    case .unknownMember:
      model.configurationTable.append(
        ModelConfiguration(name: "new", entityNames: ["no such entity"]))
      return (.invalidConfiguration, "the model")
    }
  }

  /// An entity that belongs to no model. It is static because a relationship does not retain its destination.
  private static let stranger: NSEntityDescription = {
    let entity = NSEntityDescription()
    entity.name = "Stranger"
    return entity
  }()
}

@Suite("A random defect in a real model", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct RandomDefectTests {
  @Test("is found in each source model")
  func defects() throws {
    var random = SeededGenerator("defects in models")
    var made: [String: Int] = [:]
    for path in FixtureModels.sources {
      for _ in 0..<3 {
        let model = try NSManagedObjectModel(validating: Fixtures.url(path))
        let before = Set(model.problems)
        guard let defect = Defect.allCases.randomElement(using: &random),
          let (kind, subject) = defect.make(in: model, with: &random)
        else { continue }
        made["\(defect)", default: 0] += 1
        let found = model.problems.contains {
          !before.contains($0) && $0.kind == kind && $0.subject == subject
        }
        #expect(found, "\(path): \(defect) at \(subject)")
        #expect(
          kind.severity == .warning || (try? model.validate()) == nil,
          "\(path): \(defect)")
      }
    }
    // Few models have subentities, for example, so some defects may not occur.
    #expect(made.count > 12, "\(made)")
  }
}
