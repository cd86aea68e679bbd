extension EntityChange {
  package var kind: String {
    if case .index = aspect { "index" } else { "\(aspect)" }
  }

  package var text: String {
    switch aspect {
    case .added: new?.isAbstract == true ? "added, abstract" : "added"
    case .removed: "removed"
    case .name: "renamed, was \(old?.name ?? "")"
    case .parent: change("parent", old?.superentity?.name, new?.superentity?.name)
    case .abstractness: new?.isAbstract == true ? "becomes abstract" : "is no longer abstract"
    case .constraints:
      change(
        "unique", Self.text(old?.uniquenessConstraintNames),
        Self.text(new?.uniquenessConstraintNames))
    case .versionHashModifier:
      change("version hash modifier", old?.versionHashModifier, new?.versionHashModifier)
    case .index(let name):
      change("index \(name)", oldIndex?.summary(), newIndex?.summary())
    case .compoundIndexes:
      change(
        "compound indexes", Self.text(old?.compoundIndexNames), Self.text(new?.compoundIndexNames))
    case .className:
      change("class", old?.managedObjectClassName, new?.managedObjectClassName)
    case .renamingIdentifier:
      change("renaming identifier", old?.renamingIdentifier, new?.renamingIdentifier)
    case .userInfo: "user info differs"
    case .spotlightText:
      change("Spotlight text", old?.spotlightDisplayText, new?.spotlightDisplayText)
    case .codeGeneration:
      change("code generation", old?.codeGenerationType, new?.codeGenerationType)
    case .syncing: new?.isSyncable == true ? "takes part in syncing" : "no longer syncs"
    }
  }

  private static func text(_ groups: [[String]]?) -> String {
    (groups ?? []).map { "(" + $0.joined(separator: ", ") + ")" }.joined(separator: " ")
  }
}

extension ModelChange {
  package var kind: String {
    switch aspect {
    case .configuration: "configuration"
    case .fetchRequest: "fetchRequest"
    case .versionIdentifiers: "versionIdentifiers"
    case .localization: "localization"
    }
  }

  package var text: String {
    let subject =
      switch aspect {
      case .configuration(let name): "configuration \(name)"
      case .fetchRequest(let name): "fetch request \(name)"
      case .versionIdentifiers: "version identifiers"
      case .localization: "localization dictionary"
      }
    switch direction {
    case .added: return "\(subject) added"
    case .removed: return "\(subject) removed"
    case .changed(let from, let to) where from == to: return "\(subject) differs"
    case .changed(let from, let to): return change(subject, from, to)
    }
  }
}

/// Returns `subject before → after`, with "none" for a missing or empty value.
func change(_ subject: String, _ before: String?, _ after: String?) -> String {
  func text(_ value: String?) -> String { value.flatMap { $0.isEmpty ? nil : $0 } ?? "none" }
  return "\(subject) \(text(before)) → \(text(after))"
}
