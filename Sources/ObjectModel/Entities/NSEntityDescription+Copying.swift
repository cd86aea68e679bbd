extension NSEntityDescription {
  /// Returns a mutable copy that belongs to no model and has no parent entity.
  ///
  /// The copy includes the entity's own properties, its indexes and its subentities. Relationships of the copy have
  /// the original's destination entities.
  public final func copy(with zone: NSZone? = nil) -> Any {
    let copy = copyAlone()
    var rest = [(original: self, copy: copy)]
    // Each entity is copied once, because code can make an entity its own descendant.
    var seen: Set = [ObjectIdentifier(self)]
    // A worklist, because recursion into a deep hierarchy would overflow the stack.
    while let (original, copy) = rest.popLast() {
      let below = original.subentities.filter { seen.insert(ObjectIdentifier($0)).inserted }
        .map { (original: $0, copy: $0.copyAlone()) }
      copy.subentities = below.map(\.copy)
      rest += below
    }
    return copy
  }

  /// Returns a copy of this entity without its subentities.
  final func copyAlone() -> NSEntityDescription {
    let copy = NSEntityDescription()
    copy.name = name
    copy.isAbstract = isAbstract
    copy.ownProperties = ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
    copy.indexes = indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
    // Copy the names only, because the descriptions in a group belong to the original.
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
