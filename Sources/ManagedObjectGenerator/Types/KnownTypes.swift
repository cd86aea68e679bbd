/// Types that are known without reading sources: those of the system and of this library.
enum KnownTypes {
  struct Entry {
    var type: NominalType
    var genericParameterCount: Int
  }

  /// The names by module and kind, with those of this library first.
  private static let groups =
    (Array(LibraryTypes.names) + Array(SystemTypes.names)).flatMap { module, kinds in
      kinds.map { (module: module, kind: $0, names: $1.split(whereSeparator: \.isWhitespace)) }
    }

  /// The types by their dotted names. Of types with the same name, only the first one is included.
  private static let entries: [String: Entry] = {
    var entries: [String: Entry] = [:]
    for group in groups {
      for name in group.names {
        let parts = name.split(separator: "/")
        let path = parts[0].split(separator: ".").map(String.init)
        let key = path.joined(separator: ".")
        // The library's types come first and hide those of Foundation with the same name, as
        // its scoped re-exports do.
        guard entries[key] == nil, let last = path.last else { continue }
        entries[key] = Entry(
          type: NominalType(last, group.kind, in: container(of: path, group.module, entries)),
          genericParameterCount: parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
      }
    }
    return entries
  }()

  private static func container(
    of path: [String], _ module: String, _ entries: [String: Entry]
  ) -> NominalType.Container {
    let outerPath = Array(path.dropLast())
    guard let name = outerPath.last else { return .module(module) }
    let key = outerPath.joined(separator: ".")
    let outer: NominalType
    if let entry = entries[key] {
      outer = entry.type
    } else {
      // Kinds are listed one after another, so the enclosing type may not have been added yet.
      let around = groups.first { $0.names.contains { $0.split(separator: "/")[0] == key } }
      guard let around else { return .module(module) }
      outer = NominalType(name, around.kind, in: container(of: outerPath, around.module, entries))
    }
    return outer.module == module ? .type(outer) : .extension(of: outer, module: module)
  }

  /// Type aliases: the name, and the aliased type.
  private static let aliases: [String: CanonicalType] = [
    "TimeInterval": .standard("Double"), "Float64": .standard("Double"),
    "Float32": .standard("Float"), "CLong": .standard("Int"), "CInt": .standard("Int32"),
    "CShort": .standard("Int16"), "CBool": .standard("Bool"), "Void": .void,
    "unichar": .standard("UInt16"),
    "NSPoint": foundation("CGPoint"), "NSSize": foundation("CGSize"),
    "NSRect": foundation("CGRect"),
    "NSRange": foundation("_NSRange"),
    "Codable": .existential(
      [
        NominalType("Decodable", .protocol, in: .module("Swift")),
        NominalType("Encodable", .protocol, in: .module("Swift")),
      ], superclass: nil, isAnyObject: false),
  ]

  private static func foundation(_ name: String) -> CanonicalType {
    .nominal(NominalType(name, .structure, in: .module("Foundation")), arguments: [])
  }

  /// The names of the modules that declare these types.
  static let modules: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "Dispatch",
    "CoreData", "ObjectModel", "Predicates", "StoreEngine",
  ]

  static func type(named path: [String]) -> Entry? { entries[path.joined(separator: ".")] }

  /// Returns the type that an alias stands for.
  static func alias(named name: String) -> CanonicalType? { aliases[name] }

  /// Returns whether a name is that of a known type or alias.
  static func isKnown(_ name: String) -> Bool { entries[name] != nil || aliases[name] != nil }

  /// Returns whether a name is that of a type or alias of the standard library.
  static func isOfStandardLibrary(_ name: String) -> Bool {
    entries[name]?.type.module == "Swift" || standardAliases.contains(name)
  }

  private static let standardAliases: Set<String> = [
    "CBool", "CInt", "CLong", "CShort", "Codable", "Float32", "Float64", "Void",
  ]

  /// Returns the name of the module that sources import for a type of one of these modules.
  static func importedModule(of module: String) -> String {
    switch module {
    case "FoundationEssentials", "FoundationInternationalization": "Foundation"
    case "ObjectModel", "Predicates", "StoreEngine": "CoreData"
    default: module
    }
  }

  /// All types, including nested ones, for tests.
  static var all: [Entry] {
    entries.sorted { $0.key < $1.key }.map(\.value)
  }
}
