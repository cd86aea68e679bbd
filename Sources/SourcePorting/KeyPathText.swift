import SwiftSyntax

/// The string that a `#keyPath` expression stands for: `team.name` for `#keyPath(Person.team.name)`.
enum KeyPathText {
  case text(String)
  /// A key path that only the compiler can resolve, with advice.
  case unknown(String)

  /// - Parameters:
  ///   - argument: The expression that refers to the property.
  ///   - isGetter: Whether the name of the getter is requested: `#selector(getter: Person.isDone)`.
  init(_ argument: ExprSyntax, in classes: ManagedClasses, isGetter: Bool = false) {
    guard let names = Self.names(in: argument) else {
      self = .unknown(Advice.keyPath)
      return
    }
    // The type that the next name belongs to; nil if it is not known.
    var type = argument.enclosingType
    var keys: [String] = []
    for (index, name) in names.enumerated() {
      // `self` is the enclosing type, to which the first name belongs anyway.
      if index == 0, names.count > 1, name == "self" || name == "Self" { continue }
      let property = type.flatMap { classes.property(name, of: $0) }
      if keys.isEmpty, property == nil {
        switch Role(of: index, in: names, of: type, classes) {
        case .type:
          type = name
          continue
        case .unknown:
          self = .unknown(Advice.keyPath)
          return
        case .property: break
        }
      }
      guard let key = isGetter ? property?.key ?? name : Self.key(name, of: type, in: classes)
      else {
        self = .unknown(Advice.keyOfApples(name))
        return
      }
      keys.append(key)
      type = property?.destination
    }
    // A getter belongs to the last property.
    self = .text(isGetter ? keys.last ?? "" : keys.joined(separator: "."))
  }

  private static func names(in argument: ExprSyntax) -> [String]? {
    var names: [String] = []
    var expression = argument
    while let member = expression.as(MemberAccessExprSyntax.self) {
      names.insert(member.declName.baseName.text, at: 0)
      guard let base = member.base else { return nil }
      expression = base
    }
    guard let first = expression.as(DeclReferenceExprSyntax.self)?.baseName.text else { return nil }
    return ([first] + names).map(\.withoutBackticks)
  }

  /// Returns the name by which Objective-C finds a property; nil for a property of Apple's whose name is not known.
  private static func key(
    _ name: String, of type: String?, in classes: ManagedClasses
  ) -> String? {
    guard let type else { return name }
    if let property = classes.propertyWithKey(name, of: type) { return property.key }
    return ApplesProperties.key(
      name, of: classes.isManagedObject(type) ? "NSManagedObject" : classes.lineage(of: type).last)
  }
}

/// What a name in a key path stands for, if it is not the name of a known property.
private enum Role {
  /// A type, or a module that contains the next name's type.
  case type
  case property
  case unknown

  init(of index: Int, in names: [String], of type: String?, _ classes: ManagedClasses) {
    let name = names[index]
    // The last name in a key path is always a property, even if it looks like a type.
    if index == names.count - 1 {
      self = names.count == 1 && type == nil && name.looksLikeType ? .unknown : .property
    } else if index == 0 {
      self =
        classes.isKnown(name) || name.looksLikeType && !(type != nil && name.hasNoKeys)
        ? .type : .property
    } else if ["self", "Self"].contains(names[index - 1]) {
      self = .property
    } else if classes.isKnown(names[index - 1]) || classes.isManagedObject(names[index - 1]) {
      self = classes.isNested(name, in: names[index - 1]) ? .type : .property
    } else if classes.isKnown(name) {
      self = .type
    } else if !name.looksLikeType || name.hasNoKeys {
      self = .property
    } else {
      // After a module or class without sources, a capitalized name is a type (`Shop.Person`), but an acronym may also be
      // a property (`Person.ID`).
      self = name.isAcronym ? .unknown : .type
    }
  }
}

extension String {
  /// Whether a type with this name has no keys, so that the name is a property's if keys follow it.
  fileprivate var hasNoKeys: Bool { self == "URL" || self == "UUID" }

  fileprivate var isAcronym: Bool { count > 1 && allSatisfy { $0.isUppercase || $0.isNumber } }
}
