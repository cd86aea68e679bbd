import SourceReading
import SwiftSyntax

extension Advice {
  // MARK: Methods

  static func ofMethod(_ method: FunctionDeclSyntax) -> String? {
    let name = method.name.text
    let parameters = method.signature.parameterClause.parameters
    if name == "observeValue", parameters.first?.firstName.text == "forKeyPath" { return observing }
    if name.hasPrefix("validate"), name != "validate", parameters.count == 1,
      parameters.first?.type.trimmedDescription.hasPrefix("AutoreleasingUnsafeMutablePointer")
        == true
    {
      return
        "methods cannot be found by name without Objective-C: call this one from an override of"
        + " validateValue(_:forKey:)"
    }
    if name == "automaticallyNotifiesObservers" {
      return
        "keys are not observed without Objective-C, so this is never called: keep it behind #if canImport(ObjectiveC)"
    }
    if name.hasPrefix("keyPathsForValuesAffecting") {
      return
        "without Objective-C, methods cannot be found by name, and keys are not observed: read the properties that"
        + " the value depends on inside withObservationTracking"
    }
    return nil
  }

  /// Returns advice about methods of migration policies that mapping models call: `FUNCTION($entityPolicy,
  /// "title:manager:", …)`.
  static func ofPolicyMethod(
    _ method: FunctionDeclSyntax, among classes: ManagedClasses
  ) -> String? {
    guard let type = method.enclosingType, classes.isMigrationPolicy(type),
      method.attributes.has("objc"),
      !method.modifiers.contains(where: { $0.name.tokenKind == .keyword(.override) })
    else { return nil }
    let selector = method.attributes.objectiveCName ?? method.selector
    if classes.handles(selector, by: "forFunction", in: type) { return nil }
    return
      "mapping models cannot call a method by its name without Objective-C: implement \"\(selector)\" in an override of"
      + " value(forFunction:arguments:)"
  }

  // MARK: Properties

  /// Returns advice about computed properties that Objective-C finds by their names.
  static func ofComputedProperty(
    _ property: VariableDeclSyntax, among classes: ManagedClasses
  ) -> String? {
    let modifiers = property.modifiers.map(\.name.text)
    guard property.bindings.first?.accessorBlock?.isComputed == true,
      let type = property.enclosingType, classes.isManagedObject(type),
      !modifiers.contains(where: { ["static", "class", "override"].contains($0) }),
      let name = property.bindings.first?.pattern.trimmedDescription,
      let known = classes.property(name.withoutBackticks, of: type),
      classes.isExposed(known, of: type)
    else { return nil }
    let key = known.key
    if classes.handles(key, by: "forUndefinedKey", in: type) { return nil }
    return
      "key-value coding cannot find computed properties without Objective-C: if a key is \"\(key)\" (sectionNameKeyPath,"
      + " value(forKey:)), return it from an override of value(forUndefinedKey:), or make it a transient"
      + " attribute of the model and set the attribute"
      + (writingClass(type, among: classes).map { "; for the override: \($0)" } ?? "")
  }
}

extension FunctionDeclSyntax {
  /// The words that the compiler joins to a method's name without "With".
  private static let prepositions: Set<String> = [
    "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for",
    "from", "given", "in", "including", "inside", "into", "matching", "of", "on", "passing",
    "preceding", "since", "to", "until", "using", "via", "when", "with", "within",
  ]

  /// The selector that the compiler derives: `convert(total:)` is `convertWithTotal:`, and `convert(toTotal:)` and
  /// `convertTo(total:)` are `convertToTotal:`.
  fileprivate var selector: String {
    let name = name.text.withoutBackticks
    let labels = signature.parameterClause.parameters.map(\.firstName.text.withoutBackticks)
    guard let first = labels.first else { return name }
    // Finds words as the compiler does (`camel_case::WordIterator`): an acronym with its plural ending is one word.
    let word = /[A-Z]{2,}(?:s|es|ies)?(?![a-z])|[A-Z]?[^A-Z_]+|[A-Z_]/
    let isJoined = [name.matches(of: word).last, first.firstMatch(of: word)].contains {
      Self.prepositions.contains($0?.output.lowercased() ?? "")
    }
    let label = (isJoined ? "" : "With") + first.prefix(1).uppercased() + first.dropFirst()
    return ([name + (first == "_" ? "" : label)] + labels.dropFirst().map { $0 == "_" ? "" : $0 })
      .map { $0 + ":" }.joined()
  }
}
