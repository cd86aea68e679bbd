/// Compares the parts of two properties that version hashes do not include.
struct PropertyFacts {
  let old: NSPropertyDescription
  let new: NSPropertyDescription

  func differences() -> [PropertyAspect] {
    var result: [PropertyAspect] = []
    func note(_ aspect: PropertyAspect, _ isDifferent: Bool) {
      if isDifferent { result.append(aspect) }
    }
    note(.validation, old.ruleTexts != new.ruleTexts)
    note(.indexing, old.isIndexed != new.isIndexed)
    note(.spotlight, old.isIndexedBySpotlight != new.isIndexedBySpotlight)
    note(.externalRecord, old.isStoredInExternalRecord != new.isStoredInExternalRecord)
    note(
      // As for entities, the identifier of a renamed property is not a further difference.
      .renamingIdentifier,
      old.name == new.name && old.renamingIdentifier != new.renamingIdentifier)
    note(.userInfo, !SameValue.areEqual(old.userInfo, new.userInfo))
    note(.syncing, SameValue.contradict(old.isSyncable, new.isSyncable))
    switch (old, new) {
    case (let old as NSAttributeDescription, let new as NSAttributeDescription):
      result += Self.differences(old, new)
    case (let old as NSRelationshipDescription, let new as NSRelationshipDescription):
      note(.deleteRule, old.deleteRule != new.deleteRule)
    case (let old as NSFetchedPropertyDescription, let new as NSFetchedPropertyDescription):
      note(.fetch, old.fetchTemplate != new.fetchTemplate)
    default: break
    }
    return result
  }

  private static func differences(
    _ old: NSAttributeDescription, _ new: NSAttributeDescription
  ) -> [PropertyAspect] {
    var result: [PropertyAspect] = []
    func note(_ aspect: PropertyAspect, _ isDifferent: Bool) {
      if isDifferent { result.append(aspect) }
    }
    note(
      .defaultValue,
      !SameValue.areEqual(old.defaultValue, new.defaultValue)
        || old.archivedDefaultValue?.objects != new.archivedDefaultValue?.objects)
    note(.valueTransformer, (old.valueTransformerName ?? "") != (new.valueTransformerName ?? ""))
    // `AttributeComparer` reports a difference of types, which usually implies a different class.
    note(
      .valueClass,
      old.attributeType == new.attributeType
        && old.attributeValueClassName != new.attributeValueClassName)
    note(.cloudEncryption, old.allowsCloudEncryption != new.allowsCloudEncryption)
    note(.scalarValue, SameValue.contradict(old.usesScalarValueType, new.usesScalarValueType))
    if let old = old as? NSDerivedAttributeDescription,
      let new = new as? NSDerivedAttributeDescription
    {
      note(.derivationFilter, old.filterText != new.filterText)
    }
    return result
  }
}

extension NSPropertyDescription {
  /// The texts of the validation rules, with the error or message if it is not the default.
  package final var ruleTexts: [String] {
    validationRules.map { rule in
      switch rule.warning {
      case .code(rule.condition.defaultCode): rule.predicateFormat
      case .code(let code): "\(rule.predicateFormat) (error \(code))"
      case .message(let text): "\(rule.predicateFormat) (\"\(text)\")"
      }
    }
  }
}
