import CoreData
import StoreInspection

/// The type of a property and remarks about it, shown after its name.
struct PropertyRemarks {
  let property: NSPropertyDescription

  /// The type of an attribute, such as `String`, or the destination: `→ Team` of a to-one relationship, `→→ Person` of
  /// a to-many relationship or a fetched property.
  var type: String {
    let fetched = property as? NSFetchedPropertyDescription
    return fetched.map { "→→ " + ($0.fetchTemplate?.entityName ?? "") } ?? property.typeText ?? ""
  }

  /// The remarks that matter when reading or entering values.
  var short: [String] {
    var remarks: [String] = []
    if property is NSDerivedAttributeDescription { remarks.append("derived") }
    if property is NSFetchedPropertyDescription { return remarks }
    if property.isTransient { remarks.append("transient") }
    if !property.isOptional { remarks.append("required") }
    if let attribute = property as? NSAttributeDescription, let value = attribute.defaultValue {
      remarks.append("default \(CellValue(value, attribute.attributeType).formatted)")
    }
    guard let relationship = property as? NSRelationshipDescription else { return remarks }
    if relationship.isOrdered { remarks.append("ordered") }
    if let inverse = relationship.inverseRelationship { remarks.append("inverse \(inverse.name)") }
    switch relationship.deleteRule {
    case .cascadeDeleteRule: remarks.append("cascades")
    case .denyDeleteRule: remarks.append("denies")
    default: break
    }
    return remarks
  }

  /// Everything that the model says about the property.
  var all: [String] {
    var remarks = short
    switch property {
    case let attribute as NSAttributeDescription: remarks += storage(attribute)
    case let relationship as NSRelationshipDescription: remarks += ends(relationship)
    case let fetched as NSFetchedPropertyDescription:
      remarks += [fetched.fetchTemplate?.summary ?? "no fetch"]
    default: break
    }
    if !property.validationRules.isEmpty {
      remarks.append("valid if " + property.ruleTexts.joined(separator: " and "))
    }
    if property.isIndexed { remarks.append("indexed") }
    if property.isIndexedBySpotlight { remarks.append("in Spotlight") }
    if property.isStoredInExternalRecord { remarks.append("in external records") }
    if let identifier = property.explicitRenamingIdentifier, identifier != property.name {
      remarks.append("was \(identifier)")
    }
    if let modifier = property.versionHashModifier, !modifier.isEmpty {
      remarks.append("version hash modifier \(modifier)")
    }
    return remarks + Self.notes(property.userInfo).map { "note \($0)" }
  }

  private func storage(_ attribute: NSAttributeDescription) -> [String] {
    var remarks: [String] = []
    if let derived = attribute as? NSDerivedAttributeDescription {
      remarks.append("is \(derived.derivationText ?? "nothing")")
      if let filter = derived.filterText { remarks.append("where \(filter)") }
    }
    if attribute.archivedDefaultValue != nil { remarks.append("default an archived object") }
    if attribute.allowsExternalBinaryDataStorage { remarks.append("external storage") }
    if attribute.preservesValueInHistoryOnDeletion { remarks.append("preserved after deletion") }
    if attribute.allowsCloudEncryption { remarks.append("encrypted in the cloud") }
    if let name = attribute.valueTransformerName, !name.isEmpty {
      remarks.append("transformer \(name)")
    }
    if let name = attribute.customValueClassName,
      name != attribute.attributeType.defaultValueClassName
    {
      remarks.append("class \(name)")
    }
    return remarks
  }

  private func ends(_ relationship: NSRelationshipDescription) -> [String] {
    var remarks: [String] = []
    switch relationship.deleteRule {
    case .nullifyDeleteRule: remarks.append("nullifies")
    case .noActionDeleteRule: remarks.append("no action on deletion")
    default: break
    }
    if relationship.inverseRelationship == nil { remarks.append("no inverse") }
    guard relationship.isToMany else { return remarks }
    if relationship.minCount > 0 { remarks.append("at least \(relationship.minCount)") }
    if relationship.maxCount > 1 { remarks.append("at most \(relationship.maxCount)") }
    return remarks
  }

  /// Returns the user info as `key = value`, sorted by key.
  static func notes(_ info: [AnyHashable: Any]?) -> [String] {
    (info ?? [:]).map { "\($0.key) = \($0.value)" }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
