/// Compares the parts of two entities that version hashes do not include.
struct EntityFacts {
  let old: NSEntityDescription
  let new: NSEntityDescription
  /// The new names of the old entity's renamed properties.
  let renamed: [String: String]

  func differences() -> [EntityAspect] {
    var result: [EntityAspect] = indexDifferences()
    func note(_ aspect: EntityAspect, _ isDifferent: Bool) {
      if isDifferent { result.append(aspect) }
    }
    // Use the new names, so that a renamed property does not count as a changed index.
    let compound = old.compoundIndexNames.map { $0.map { renamed[$0] ?? $0 } }
    note(.compoundIndexes, Set(compound) != Set(new.compoundIndexNames))
    note(.className, old.managedObjectClassName != new.managedObjectClassName)
    note(
      // The renaming identifier of a renamed entity is its old name, so the change of the identifier is
      // part of the renaming and not a further difference.
      .renamingIdentifier,
      old.name == new.name && old.renamingIdentifier != new.renamingIdentifier)
    note(.userInfo, !SameValue.areEqual(old.userInfo, new.userInfo))
    note(.spotlightText, old.spotlightDisplayText != new.spotlightDisplayText)
    // Compiled models contain neither this setting nor the next one, so a value that one of the
    // models lacks is not a difference.
    note(.codeGeneration, SameValue.contradict(old.codeGenerationType, new.codeGenerationType))
    note(.syncing, SameValue.contradict(old.isSyncable, new.isSyncable))
    return result
  }

  private func indexDifferences() -> [EntityAspect] {
    let before = Dictionary(
      old.indexes.map { ($0.name, $0.summary(renaming: renamed)) }, uniquingKeysWith: { $1 })
    let after = Dictionary(
      new.indexes.map { ($0.name, $0.summary(renaming: [:])) }, uniquingKeysWith: { $1 })
    return Set(before.keys).union(after.keys).sorted { $0.isBefore($1) }
      .filter { before[$0] != after[$0] }.map { .index($0) }
  }
}

extension NSFetchIndexDescription {
  /// Returns a one-line description of the index: `lastName, age descending where age > 3`.
  package final func summary(renaming names: [String: String] = [:]) -> String {
    let columns = elements.map { element -> String in
      let name = element.propertyName ?? ""
      var text = element.expressionText.map { "(\($0))" } ?? names[name] ?? name
      if element.collationType == .rTree { text += " in an R-tree" }
      if !element.isAscending { text += " descending" }
      return text
    }
    let condition = partialPredicateFormat.map { " where \($0)" } ?? ""
    return columns.joined(separator: ", ") + condition
  }
}
