extension PropertyChange {
  package var kind: String { "\(aspect)" }

  package var text: String {
    switch aspect {
    case .added: "added, " + (new?.comparisonText ?? "")
    case .removed: "removed, was " + (old?.comparisonText ?? "")
    case .name: "renamed, was \(old?.name ?? "")"
    case .entity: "moved here from \(old?.owner?.name ?? "")"
    case .kind: "\(old?.comparisonText ?? "none") → \(new?.comparisonText ?? "none")"
    case .transience: new?.isTransient == true ? "becomes transient" : "is stored now"
    case .optionality: new?.isOptional == true ? "becomes optional" : "becomes required"
    case .versionHashModifier:
      change("version hash modifier", old?.versionHashModifier, new?.versionHashModifier)
    case .validation:
      change(
        "validation", old?.ruleTexts.joined(separator: ", "),
        new?.ruleTexts.joined(separator: ", "))
    case .indexing: new?.isIndexed == true ? "is indexed" : "is no longer indexed"
    case .spotlight:
      new?.isIndexedBySpotlight == true ? "is in Spotlight" : "is no longer in Spotlight"
    case .externalRecord:
      new?.isStoredInExternalRecord == true
        ? "is in external records" : "is no longer in external records"
    case .renamingIdentifier:
      change("renaming identifier", old?.renamingIdentifier, new?.renamingIdentifier)
    case .userInfo: "user info differs"
    case .syncing: new?.isSyncable == true ? "takes part in syncing" : "no longer syncs"
    case .destination, .inverse, .cardinality, .counts, .order, .deleteRule: relationshipText
    case .type, .externalStorage, .historyPreservation, .derivation, .elements,
      .derivationFilter, .defaultValue, .fetch, .valueTransformer, .valueClass, .cloudEncryption,
      .scalarValue:
      attributeText
    }
  }

  private var relationshipText: String {
    let old = old as? NSRelationshipDescription
    let new = new as? NSRelationshipDescription
    switch aspect {
    case .destination:
      return change("destination", old?.destinationEntity?.name, new?.destinationEntity?.name)
    case .inverse:
      return change("inverse", old?.inverseRelationship?.name, new?.inverseRelationship?.name)
    case .cardinality: return new?.isToMany == true ? "to one → to many" : "to many → to one"
    case .counts: return change("count", old?.countText, new?.countText)
    case .order: return new?.isOrdered == true ? "unordered → ordered" : "ordered → unordered"
    default:
      return change(
        "delete rule", old?.deleteRule.modelFileName, new?.deleteRule.modelFileName)
    }
  }

  private var attributeText: String {
    let old = old as? NSAttributeDescription
    let new = new as? NSAttributeDescription
    switch aspect {
    case .type:
      return change("type", old?.attributeType.modelFileName, new?.attributeType.modelFileName)
    case .externalStorage:
      return new?.allowsExternalBinaryDataStorage == true
        ? "allows external storage" : "no longer allows external storage"
    case .historyPreservation:
      return new?.preservesValueInHistoryOnDeletion == true
        ? "is preserved after deletion" : "is no longer preserved after deletion"
    case .derivation:
      return change(
        "derivation", (old as? NSDerivedAttributeDescription)?.derivationText,
        (new as? NSDerivedAttributeDescription)?.derivationText)
    case .derivationFilter:
      return change(
        "derivation filter", (old as? NSDerivedAttributeDescription)?.filterText,
        (new as? NSDerivedAttributeDescription)?.filterText)
    case .elements: return elementsText
    case .defaultValue: return change("default", old?.defaultText, new?.defaultText)
    case .valueTransformer:
      return change("transformer", old?.valueTransformerName, new?.valueTransformerName)
    case .valueClass:
      return change("value class", old?.attributeValueClassName, new?.attributeValueClassName)
    case .cloudEncryption:
      return new?.allowsCloudEncryption == true
        ? "is encrypted in the cloud" : "is no longer encrypted in the cloud"
    case .scalarValue:
      return new?.usesScalarValueType == true ? "is scalar in code" : "is no longer scalar in code"
    default:
      return change(
        "fetch", (self.old as? NSFetchedPropertyDescription)?.fetchTemplate?.summary,
        (self.new as? NSFetchedPropertyDescription)?.fetchTemplate?.summary)
    }
  }

  private var elementsText: String {
    guard let old = old as? NSCompositeAttributeDescription,
      let new = new as? NSCompositeAttributeDescription
    else { return "elements differ" }
    let parts = ElementsComparison(old, new).changes.map { element in
      "\(element.new?.name ?? element.old?.name ?? "") \(element.text)"
    }
    return "elements: " + parts.joined(separator: "; ")
  }
}
