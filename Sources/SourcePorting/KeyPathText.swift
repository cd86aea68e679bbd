import SwiftSyntax

/// What `#keyPath(Person.team.name)` stands for: the text `team.name`.
enum KeyPathText {
  case text(String)
  /// One that cannot be told without the compiler, and what to do.
  case unknown(String)

  /// - Parameters:
  ///   - argument: what names the property.
  ///   - isGetter: whether the name of its getter is asked for: `#selector(getter: Person.isDone)`.
  init(_ argument: ExprSyntax, in classes: ManagedClasses, isGetter: Bool = false) {
    guard let names = Self.names(in: argument) else {
      self = .unknown(Advice.keyPath)
      return
    }
    // What the next name belongs to; nil where that is not known.
    var type = argument.enclosingType
    var keys: [String] = []
    for (index, name) in names.enumerated() {
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
    // A getter is that of the last property.
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

  /// The name under which Objective-C finds a property; nil where it is Apple's and has a name there that is
  /// not known.
  private static func key(
    _ name: String, of type: String?, in classes: ManagedClasses
  ) -> String? {
    guard let type else { return name }
    if let property = classes.propertyWithKey(name, of: type) { return property.key }
    return ApplesProperties.key(
      name, of: classes.isManagedObject(type) ? "NSManagedObject" : classes.lineage(of: type).last)
  }
}

/// What a name in a key path stands for that no source has as a property.
private enum Role {
  /// A type, or a module that the next name is a type of.
  case type
  case property
  case unknown

  init(of index: Int, in names: [String], of type: String?, _ classes: ManagedClasses) {
    let name = names[index]
    // Whatever it is called, what a key path ends in is a property.
    if index == names.count - 1 {
      self = names.count == 1 && type == nil && name.looksLikeType ? .unknown : .property
    } else if index == 0 {
      self =
        classes.isKnown(name) || name.looksLikeType && !(type != nil && name.isNoClass)
        ? .type : .property
    } else if ["self", "Self"].contains(names[index - 1]) {
      self = .property
    } else if classes.isKnown(names[index - 1]) || classes.isManagedObject(names[index - 1]) {
      self = classes.isNested(name, in: names[index - 1]) ? .type : .property
    } else if classes.isKnown(name) {
      self = .type
    } else if !name.looksLikeType || name.isNoClass {
      self = .property
    } else {
      // Of a module or class that is not among the sources: `Shop.Person`, but `Person.ID`.
      self = name.isAcronym ? .unknown : .type
    }
  }
}

extension String {
  /// Whether it is a type that has no keys, so that what has keys is a property of the name.
  fileprivate var isNoClass: Bool { self == "URL" || self == "UUID" }

  fileprivate var isAcronym: Bool { count > 1 && allSatisfy { $0.isUppercase || $0.isNumber } }
}
