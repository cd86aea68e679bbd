import CoreData
import Testing

/// Uses every public member that Apple's documentation lists for the classes of a model, with its
/// Swift type, so that a missing one does not compile. (developer.apple.com/documentation/coredata,
/// one page for each class.)
@Suite("The classes of a model have all members that Apple documents")
struct PublicMembersTests {
  @Test("NSManagedObjectModel")
  func model() throws {
    let model = SampleStack.makeModel()
    let missing = URL(fileURLWithPath: "/nowhere/M.momd")
    let bundle = Bundle(for: PublicMembersTestsMarker.self)
    has(NSManagedObjectModel.self, NSManagedObjectModel())
    has(NSManagedObjectModel?.self, NSManagedObjectModel(contentsOf: missing))
    has(NSManagedObjectModel?.self, NSManagedObjectModel(byMerging: [model]))
    has(NSManagedObjectModel?.self, NSManagedObjectModel(byMerging: [model], forStoreMetadata: [:]))
    has(NSManagedObjectModel?.self, NSManagedObjectModel.mergedModel(from: [bundle]))
    has(
      NSManagedObjectModel?.self,
      NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: [:]))
    #expect(throws: NSError.self) {
      try has([String: String].self, NSManagedObjectModel.checksumsForVersionedModel(at: missing))
    }
    has([String: NSEntityDescription].self, model.entitiesByName)
    settable(\NSManagedObjectModel.entities, [NSEntityDescription].self, in: model)
    has([String].self, model.configurations)
    has([NSEntityDescription]?.self, model.entities(forConfigurationName: nil))
    model.setEntities(model.entities, forConfigurationName: "All")
    #expect(model.configurations == ["All"])
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Team")
    model.setFetchRequestTemplate(request, forName: "Teams")
    has(
      NSFetchRequest<any NSFetchRequestResult>?.self, model.fetchRequestTemplate(forName: "Teams"))
    has(
      NSFetchRequest<any NSFetchRequestResult>?.self,
      model.fetchRequestFromTemplate(withName: "Teams", substitutionVariables: [:]))
    has(
      [String: NSFetchRequest<any NSFetchRequestResult>].self, model.fetchRequestTemplatesByName)
    settable(\NSManagedObjectModel.localizationDictionary, [String: String]?.self, in: model)
    settable(\NSManagedObjectModel.versionIdentifiers, Set<AnyHashable>.self, in: model)
    has(
      Bool.self, model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
    has([String: Data].self, model.entityVersionHashesByName)
    has(String.self, model.versionChecksum)
    #expect(Data(base64Encoded: model.versionChecksum)?.count == 32)
    has(Any.self, model.copy())
  }

  @Test("NSManagedObjectModel can be archived and unarchived")
  func modelCoding() throws {
    let model = SampleStack.makeModel()
    let data = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSManagedObjectModel.self, from: data)
    #expect(read?.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(read !== model && read == model)
  }

  @Test("NSEntityDescription")
  func entity() throws {
    let stack = try SampleStack()
    let model = SampleStack.makeModel()
    let entity = try #require(model.entitiesByName["Player"])
    let team = try #require(model.entitiesByName["Team"])
    stack.context.performAndWait {
      has(
        NSEntityDescription?.self,
        NSEntityDescription.entity(forEntityName: "Team", in: stack.context))
      has(
        NSManagedObject.self,
        NSEntityDescription.insertNewObject(forEntityName: "Team", into: stack.context))
    }
    has(NSManagedObjectModel.self, entity.managedObjectModel)
    settable(\NSEntityDescription.managedObjectClassName, String?.self, in: entity)
    settable(\NSEntityDescription.name, String?.self, in: entity)
    settable(\NSEntityDescription.isAbstract, Bool.self, in: entity)
    has([String: NSEntityDescription].self, entity.subentitiesByName)
    settable(\NSEntityDescription.subentities, [NSEntityDescription].self, in: entity)
    has(NSEntityDescription?.self, entity.superentity)
    has([String: NSPropertyDescription].self, entity.propertiesByName)
    settable(\NSEntityDescription.properties, [NSPropertyDescription].self, in: entity)
    settable(\NSEntityDescription.userInfo, [AnyHashable: Any]?.self, in: entity)
    has([String: NSAttributeDescription].self, entity.attributesByName)
    has([String: NSRelationshipDescription].self, entity.relationshipsByName)
    has([NSRelationshipDescription].self, entity.relationships(forDestination: team))
    has(Bool.self, entity.isKindOf(entity: team))
    has(Data.self, entity.versionHash)
    settable(\NSEntityDescription.versionHashModifier, String?.self, in: entity)
    settable(\NSEntityDescription.renamingIdentifier, String?.self, in: entity)
    settable(\NSEntityDescription.indexes, [NSFetchIndexDescription].self, in: entity)
    settable(\NSEntityDescription.uniquenessConstraints, [[Any]].self, in: entity)
    settable(\NSEntityDescription.compoundIndexes, [[Any]].self, in: entity)
    settable(
      \NSEntityDescription.coreSpotlightDisplayNameExpression, CoreData.NSExpression.self,
      in: entity)
    has(Any.self, entity.copy())
  }

  @Test("NSPropertyDescription")
  func property() throws {
    let model = SampleStack.makeModel()
    let property: NSPropertyDescription = try #require(
      model.entitiesByName["Player"]?.propertiesByName["age"])
    has(NSEntityDescription.self, property.entity)
    settable(\NSPropertyDescription.name, String.self, in: property)
    settable(\NSPropertyDescription.isOptional, Bool.self, in: property)
    settable(\NSPropertyDescription.isTransient, Bool.self, in: property)
    has([NSPredicate].self, property.validationPredicates)
    has([Any].self, property.validationWarnings)
    property.setValidationPredicates(nil, withValidationWarnings: nil)
    settable(\NSPropertyDescription.userInfo, [AnyHashable: Any]?.self, in: property)
    settable(\NSPropertyDescription.isIndexed, Bool.self, in: property)
    settable(\NSPropertyDescription.isIndexedBySpotlight, Bool.self, in: property)
    settable(\NSPropertyDescription.isStoredInExternalRecord, Bool.self, in: property)
    has(Data.self, property.versionHash)
    settable(\NSPropertyDescription.versionHashModifier, String?.self, in: property)
    settable(\NSPropertyDescription.renamingIdentifier, String?.self, in: property)
    has(Any.self, property.copy())
  }

  @Test("NSAttributeDescription, NSAttributeType and NSAttributeDescription.AttributeType")
  func attribute() throws {
    let attribute = NSAttributeDescription()
    settable(\NSAttributeDescription.attributeType, NSAttributeType.self, in: attribute)
    settable(
      \NSAttributeDescription.type, NSAttributeDescription.AttributeType.self, in: attribute)
    settable(\NSAttributeDescription.attributeValueClassName, String?.self, in: attribute)
    settable(\NSAttributeDescription.defaultValue, Any?.self, in: attribute)
    settable(\NSAttributeDescription.valueTransformerName, String?.self, in: attribute)
    settable(\NSAttributeDescription.allowsExternalBinaryDataStorage, Bool.self, in: attribute)
    settable(\NSAttributeDescription.preservesValueInHistoryOnDeletion, Bool.self, in: attribute)
    settable(\NSAttributeDescription.allowsCloudEncryption, Bool.self, in: attribute)
    has(Data.self, attribute.versionHash)
    let types: [(NSAttributeType, NSAttributeDescription.AttributeType, String?)] = [
      (.undefinedAttributeType, .undefined, nil), (.integer16AttributeType, .integer16, "NSNumber"),
      (.integer32AttributeType, .integer32, "NSNumber"),
      (.integer64AttributeType, .integer64, "NSNumber"),
      (.decimalAttributeType, .decimal, "NSDecimalNumber"),
      (.doubleAttributeType, .double, "NSNumber"), (.floatAttributeType, .float, "NSNumber"),
      (.stringAttributeType, .string, "NSString"), (.booleanAttributeType, .boolean, "NSNumber"),
      (.dateAttributeType, .date, "NSDate"), (.binaryDataAttributeType, .binaryData, "NSData"),
      (.UUIDAttributeType, .uuid, "NSUUID"), (.URIAttributeType, .uri, "NSURL"),
      (.transformableAttributeType, .transformable, nil),
      (.objectIDAttributeType, .objectID, "NSManagedObjectID"),
      (.compositeAttributeType, .composite, "NSDictionary"),
    ]
    for (old, new, className) in types {
      attribute.attributeType = old
      #expect(attribute.type == new && new.rawValue == old)
      #expect(attribute.attributeValueClassName == className)
    }
  }

  @Test("NSRelationshipDescription and NSDeleteRule")
  func relationship() {
    let relationship = NSRelationshipDescription()
    settable(
      \NSRelationshipDescription.destinationEntity, NSEntityDescription?.self, in: relationship)
    settable(
      \NSRelationshipDescription.inverseRelationship, NSRelationshipDescription?.self,
      in: relationship)
    settable(\NSRelationshipDescription.maxCount, Int.self, in: relationship)
    settable(\NSRelationshipDescription.minCount, Int.self, in: relationship)
    settable(\NSRelationshipDescription.deleteRule, NSDeleteRule.self, in: relationship)
    settable(\NSRelationshipDescription.isOrdered, Bool.self, in: relationship)
    has(Bool.self, relationship.isToMany)
    has(Data.self, relationship.versionHash)
    let rules: [NSDeleteRule] = [
      .noActionDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule,
    ]
    #expect(rules.map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test("NSFetchedPropertyDescription, NSExpressionDescription")
  func computedProperties() {
    let fetched = NSFetchedPropertyDescription()
    settable(
      \NSFetchedPropertyDescription.fetchRequest, NSFetchRequest<any NSFetchRequestResult>?.self,
      in: fetched)
    let computed = NSExpressionDescription()
    settable(\NSExpressionDescription.expression, CoreData.NSExpression?.self, in: computed)
    settable(\NSExpressionDescription.expressionResultType, NSAttributeType.self, in: computed)
    settable(
      \NSExpressionDescription.resultType, NSAttributeDescription.AttributeType.self, in: computed)
  }

  @Test("NSDerivedAttributeDescription, NSCompositeAttributeDescription")
  func otherAttributes() {
    let derived = NSDerivedAttributeDescription()
    settable(
      \NSDerivedAttributeDescription.derivationExpression, CoreData.NSExpression?.self, in: derived)
    derived.derivationExpression = NSExpression(format: "canonical:(name)")
    #expect(derived.derivationExpression == NSExpression(format: "canonical:(name)"))
    settable(\NSDerivedAttributeDescription.filteringPredicate, NSPredicate?.self, in: derived)
    derived.filteringPredicate = NSPredicate(format: "age > 3")
    #expect(derived.filteringPredicate == NSPredicate(format: "age > 3"))
    let composite = NSCompositeAttributeDescription()
    settable(
      \NSCompositeAttributeDescription.elements, [NSAttributeDescription].self, in: composite)
    #expect(composite.attributeType == .compositeAttributeType)
  }

  @Test("NSFetchIndexDescription, NSFetchIndexElementDescription")
  func indexes() throws {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let age = try #require(player.attributesByName["age"])
    let element = NSFetchIndexElementDescription(property: age, collationType: .binary)
    let index = NSFetchIndexDescription(name: "byAge", elements: [element])
    player.indexes = [index]
    settable(\NSFetchIndexDescription.name, String.self, in: index)
    settable(\NSFetchIndexDescription.elements, [NSFetchIndexElementDescription].self, in: index)
    has(NSEntityDescription?.self, index.entity)
    settable(\NSFetchIndexDescription.partialIndexPredicate, NSPredicate?.self, in: index)
    has(NSPropertyDescription?.self, element.property)
    has(String?.self, element.propertyName)
    settable(
      \NSFetchIndexElementDescription.collationType, NSFetchIndexElementType.self, in: element)
    settable(\NSFetchIndexElementDescription.isAscending, Bool.self, in: element)
    has(NSFetchIndexDescription?.self, element.indexDescription)
    #expect([NSFetchIndexElementType.binary, .rTree].map(\.rawValue) == [0, 1])
    let computed = NSExpressionDescription()
    computed.name = "computed"
    computed.expression = NSExpression(forKeyPath: "name")
    computed.expressionResultType = .stringAttributeType
    index.elements += [NSFetchIndexElementDescription(property: computed, collationType: .binary)]
    #expect(index.elements[1].property === computed)
    #expect(model.problems.isEmpty)
    _ = try SampleStack(model: model)
  }

  @Test("ValueTransformer, NSSecureUnarchiveFromDataTransformer")
  func transformers() throws {
    let name = NSValueTransformerName("PublicMembers")
    ValueTransformer.setValueTransformer(ValueTransformer(), forName: name)
    let transformer = try #require(ValueTransformer(forName: name))
    has(Any?.self, transformer.transformedValue(1))
    has(Any?.self, transformer.reverseTransformedValue(1))
    has(Bool.self, type(of: transformer).allowsReverseTransformation())
    has(AnyClass.self, type(of: transformer).transformedValueClass())
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
    #expect(
      ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)
        is NSSecureUnarchiveFromDataTransformer)
    has([AnyClass].self, NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses)
    #expect(NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses.count == 10)
    func given(_ name: NSValueTransformerName, _ value: Any?) -> Bool? {
      ValueTransformer(forName: name)?.transformedValue(value) as? Bool
    }
    #expect(given(.negateBooleanTransformerName, true) == false)
    #expect(given(.isNilTransformerName, nil) == true)
    #expect(given(.isNotNilTransformerName, nil) == false)
    #expect(ValueTransformer(forName: .keyedUnarchiveFromDataTransformerName) != nil)
    #expect(ValueTransformer(forName: .unarchiveFromDataTransformerName) == nil)
  }
}

private final class PublicMembersTestsMarker {}
