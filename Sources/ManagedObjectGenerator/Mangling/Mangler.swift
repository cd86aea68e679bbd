import ObjectModel

/// Writes the mangled names under which the compiler emits functions and accessors.
///
/// The rules are those of Swift's ABI: <https://github.com/swiftlang/swift/blob/main/docs/ABI/Mangling.rst>.
///
/// It covers what `@NSManaged` can mark: properties and methods of classes. A wrong name causes a link error and
/// never a wrong result, because the compiler refers to a different symbol. `SymbolTests` compares the names of
/// random declarations with those that the compiler refers to.
struct Mangler {
  private(set) var text = "$s"
  /// The words of identifiers so far, which later identifiers refer to.
  var words: [String] = []
  private var substitutions: [Substitution: Int] = [:]
  private var lastReference: Reference?

  /// The parts of the name that later parts refer to by number.
  private enum Substitution: Hashable {
    case identifier(String)
    case nominal(NominalType)
    case type(CanonicalType)
  }

  /// The last reference, which the next one may be combined with.
  private struct Reference {
    var position: Int
    var end: Int
    var letter: String
    var count: Int
    var isStandard: Bool
  }

  mutating func append(_ string: String) { text += string }
}

// MARK: Substitutions

extension Mangler {
  /// Writes a reference to a part of the name that was written before.
  ///
  /// - Returns: False if it was not written before.
  private mutating func appendReference(to substitution: Substitution) -> Bool {
    guard let number = substitutions[substitution] else { return false }
    if number >= 26 {
      append("A" + Self.index(number - 26))
    } else {
      appendReference(Self.letter(number, from: "A"), isStandard: false)
    }
    return true
  }

  private mutating func remember(_ substitution: Substitution) {
    substitutions[substitution] = substitutions.count
  }

  /// Writes a reference, combined with one immediately before it: `AB` after `AA` makes `AaB`, `Si` after `Si` makes
  /// `S2i`.
  private mutating func appendReference(_ letter: String, isStandard: Bool) {
    let length = text.utf8.count
    if let last = lastReference, last.end == length, last.isStandard == isStandard {
      if last.letter == letter {
        let count = last.count + 1
        truncate(to: last.position)
        append("\(count)\(letter)")
        lastReference = Reference(
          position: last.position, end: text.utf8.count, letter: letter, count: count,
          isStandard: isStandard)
        return
      }
      if !isStandard {
        // In a run of references, only the last one has a capital letter.
        truncate(to: length - 1)
        append(last.letter.lowercased() + letter)
        lastReference = Reference(
          position: length, end: text.utf8.count, letter: letter, count: 1, isStandard: false)
        return
      }
    }
    append(isStandard ? "S" : "A")
    lastReference = Reference(
      position: length + 1, end: length + 1 + letter.utf8.count, letter: letter, count: 1,
      isStandard: isStandard)
    append(letter)
  }

  private mutating func truncate(to length: Int) {
    text.removeSubrange(text.utf8.index(text.startIndex, offsetBy: length)...)
  }

  static func letter(_ number: Int, from first: Unicode.Scalar) -> String {
    Unicode.Scalar(first.value + UInt32(number)).map { String(Character($0)) } ?? ""
  }

  /// Returns a number as the grammar's `INDEX`: `_`, `0_`, `1_`.
  private static func index(_ number: Int) -> String {
    number == 0 ? "_" : "\(number - 1)_"
  }
}

// MARK: Types

extension Mangler {
  /// Writes an identifier; later occurrences of the same identifier are references to this one.
  mutating func appendIdentifier(_ name: String) {
    // Symbols mark raw identifiers with backticks, and cannot contain spaces.
    let identifier =
      Punycode.isRaw(name) ? "`\(name.replacing(scalar: " ", with: "\u{A0}"))`" : name
    if appendReference(to: .identifier(identifier)) { return }
    remember(.identifier(identifier))
    appendNewIdentifier(identifier)
  }

  mutating func append(_ type: CanonicalType) {
    switch type {
    case .nominal(let nominal, let arguments):
      // Without arguments, the substitution is that of the declaration.
      if arguments.allSatisfy(\.isEmpty) { return append(nominal) }
      if appendReference(to: .type(type)) { return }
      append(nominal)
      append("y")
      for (level, list) in arguments.enumerated() {
        if level > 0 { append("_") }
        for argument in list { append(argument) }
      }
      append("G")
      remember(.type(type))
    case .optional(let wrapped):
      if appendReference(to: .type(type)) { return }
      append(wrapped)
      append("Sg")
      remember(.type(type))
    case .tuple(let elements):
      if elements.isEmpty { return append("yt") }
      appendList(elements)
      append("t")
    case .existential(let protocols, let superclass, let isAnyObject):
      if protocols.isEmpty, superclass == nil { return append(isAnyObject ? "yXl" : "yp") }
      if protocols.isEmpty { append("y") }
      for (number, declaration) in protocols.enumerated() {
        appendProtocol(declaration)
        if number == 0 { append("_") }
      }
      if let superclass {
        append(superclass)
        append("Xc")
      } else {
        append(isAnyObject ? "Xl" : "p")
      }
    }
  }

  private mutating func appendList(_ elements: [CanonicalType.TupleElement]) {
    for (number, element) in elements.enumerated() {
      append(element.type)
      if let label = element.label { appendIdentifier(label) }
      if number == 0 { append("_") }
    }
  }

  /// Writes a type as a declaration, without generic arguments.
  mutating func append(_ nominal: NominalType) {
    if let letter = StandardTypes.letter(of: nominal) {
      return appendReference(letter, isStandard: true)
    }
    if appendReference(to: .nominal(nominal)) { return }
    append(nominal.container)
    appendName(nominal.name, discriminator: nominal.discriminator)
    append(nominal.kind.rawValue)
    remember(.nominal(nominal))
  }

  private mutating func appendProtocol(_ nominal: NominalType) {
    if let letter = StandardTypes.letter(of: nominal) {
      return appendReference(letter, isStandard: true)
    }
    append(nominal.container)
    appendName(nominal.name, discriminator: nominal.discriminator)
  }

  private mutating func append(_ container: NominalType.Container) {
    switch container {
    case .module(let module): appendModule(module)
    case .type(let outer): append(outer)
    case .extension(of: let outer, let module):
      append(outer)
      appendModule(module)
      append("E")
    }
  }

  private mutating func appendModule(_ module: String) {
    if module == "Swift" { return append("s") }
    appendIdentifier(module)
  }
}

// MARK: Declarations

extension Mangler {
  /// Returns the name of a property's getter or setter.
  static func accessor(_ kind: AccessorKind, of property: PropertySymbol) -> String {
    var mangler = Mangler()
    mangler.append(property.container)
    mangler.appendName(property.name, discriminator: property.discriminator)
    mangler.append(property.type)
    mangler.append("v" + kind.rawValue)
    return mangler.text
  }

  /// Returns the name of a method.
  static func method(_ method: MethodSymbol) -> String {
    var mangler = Mangler()
    mangler.append(method.container)
    mangler.appendName(method.name, discriminator: method.discriminator)
    let parameters = method.parameters
    if parameters.contains(where: { $0.label != nil }) {
      for parameter in parameters {
        if let label = parameter.label {
          mangler.appendIdentifier(label)
        } else {
          mangler.append("_")
        }
      }
    } else if !parameters.isEmpty {
      mangler.append("y")
    }
    if method.result == .void { mangler.append("y") } else { mangler.append(method.result) }
    if parameters.isEmpty {
      mangler.append("y")
    } else if parameters.count == 1, parameters[0].label == nil, !parameters[0].type.isTuple {
      // A single parameter forms no tuple, unless it has a label or its own type is a tuple.
      mangler.append(parameters[0].type)
    } else {
      mangler.appendList(parameters.map { CanonicalType.TupleElement(type: $0.type) })
      mangler.append("t")
    }
    if method.isThrowing { mangler.append("K") }
    mangler.append("F")
    return mangler.text
  }

  private mutating func appendName(_ name: String, discriminator: String?) {
    appendIdentifier(name)
    guard let discriminator else { return }
    appendIdentifier(discriminator)
    append("LL")
  }
}
