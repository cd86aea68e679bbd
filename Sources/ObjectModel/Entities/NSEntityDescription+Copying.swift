extension NSEntityDescription {
  /// A mutable copy that belongs to no model and has no entity above it.
  ///
  /// The own properties, the indexes and the entities below are copied; relationships of the copy
  /// lead where the original's do.
  public final func copy(with zone: NSZone? = nil) -> Any {
    let copy = copyAlone()
    var rest = [(original: self, copy: copy)]
    while let (original, copy) = rest.popLast() {
      let below = original.subentities.map { (original: $0, copy: $0.copyAlone()) }
      copy.subentities = below.map(\.copy)
      rest += below
    }
    return copy
  }

  /// A copy of this entity without the entities below it.
  final func copyAlone() -> NSEntityDescription {
    let copy = NSEntityDescription()
    copy.name = name
    copy.isAbstract = isAbstract
    copy.ownProperties = ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
    copy.indexes = indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
    copy.uniquenessConstraints = uniquenessConstraintNames
    copy.compoundIndexes = compoundIndexNames
    copy.userInfo = userInfo
    copy.versionHashModifier = versionHashModifier
    copy.representedClassName = representedClassName
    copy.explicitRenamingIdentifier = explicitRenamingIdentifier
    copy.spotlightDisplayText = spotlightDisplayText
    copy.codeGenerationType = codeGenerationType
    copy.isSyncable = isSyncable
    return copy
  }
}
