import FixtureSupport

/// Sources with random `@NSManaged` declarations. Their names repeat words, are keywords or contain
/// letters of several scripts. Their types have all forms. They are in classes, nested classes,
/// private classes and extensions.
struct RandomDeclarations {
  /// The name of the module to which the sources belong.
  static let module = "Customer_Jobs"
  /// The sources by their file names.
  private(set) var sources: [String: String] = [:]
  /// The number of declarations.
  private(set) var count = 0

  private var generator: SeededGenerator
  private var usedNames: Set<String> = []

  init(count: Int, seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    sources["Types.swift"] = Self.types
    let perFile = (count + 2) / 3
    for file in 0..<3 {
      sources["Customers\(file).swift"] = makeFile(file, count: perFile)
    }
  }

  private static let types = """
    import CoreData
    import Foundation

    public class Tag: NSManagedObject {}
    public class Job: NSManagedObject {}
    public class CustomerJob: NSManagedObject {}
    public class Größe: NSManagedObject {}
    public protocol Named {}
    public protocol Aged: AnyObject {}
    public protocol Customer_Named {}
    public enum Library {
      public struct Job: Hashable {}
      public enum State: Int16 { case open, closed }
      public class Shelf: NSManagedObject {}
      public enum Deep { public class Customer: NSManagedObject {} }
      public typealias States = [State]
    }
    public struct Box<Content: Hashable>: Hashable {
      public struct Inner<Other: Hashable>: Hashable {}
      public struct Plain: Hashable {}
    }
    public struct 日本: Hashable { public struct Größe: Hashable {} }
    public typealias Tags = Set<Tag>
    public typealias Two<Part> = (first: Part, Part)
    extension Library { public struct Added: Hashable {} }
    extension Date { public struct Span: Hashable {} }

    """

  // MARK: Files

  private mutating func makeFile(_ file: Int, count: Int) -> String {
    var text = "import CoreData\nimport Foundation\n\n"
    let holders = [
      ("open class Customer\(file): NSManagedObject", "Customer\(file)"),
      ("class JobCustomer\(file): Customer\(file)", "JobCustomer\(file)"),
      ("private final class Hidden\(file): NSManagedObject", "Hidden\(file)"),
      ("public final class Größe\(file)名: NSManagedObject", "Größe\(file)名"),
    ]
    let share = count / (holders.count + 3)
    for (head, name) in holders {
      text += "\(head) {\n\(members(share, mayBeOpen: head.hasPrefix("open")))"
      if name.hasPrefix("Customer") {
        text += "  public class Nested: NSManagedObject {\n\(members(share))  }\n"
        text += "  private class Secret: NSManagedObject {\n\(members(share / 2))  }\n"
      }
      text += "}\n\n"
    }
    let rest = count - share * (holders.count + 1) - share / 2
    return text + "extension Customer\(file) {\n\(extensionMembers(rest))}\n"
  }

  /// Returns members of a class, and a method that uses each of them, because the compiler does not
  /// reference the symbols of an unused private member.
  private mutating func members(_ number: Int, mayBeOpen: Bool = false) -> String {
    members(
      number,
      access: [
        "", "public ", "internal ", mayBeOpen ? "open " : "", "public private(set) ", "private ",
        "fileprivate ", "final ",
      ])
  }

  private mutating func extensionMembers(_ number: Int) -> String {
    members(number, access: ["", "public ", "private ", "public internal(set) "])
  }

  private mutating func members(_ number: Int, access: [String]) -> String {
    var text = ""
    var uses = ""
    for _ in 0..<number {
      let made = declaration(access.randomElement(using: &generator) ?? "")
      text += "    \(made.text)\n"
      uses += made.use
    }
    return text + "    final func useAll\(count)() {\n\(uses)    }\n"
  }

  private mutating func declaration(_ access: String) -> (text: String, use: String) {
    count += 1
    if Int.random(in: 0..<6, using: &generator) == 0 { return method(access) }
    let name = self.name(capitalized: false)
    let text = "@NSManaged \(access)var \(name): \(type(2))"
    return (text, "    do { let value = self.\(name); self.\(name) = value }\n")
  }

  private mutating func method(_ access: String) -> (text: String, use: String) {
    let key = name(capitalized: true).filter { $0 != "`" }
    let access = access.replacing("private(set) ", with: "").replacing("internal(set) ", with: "")
    let object =
      ["Tag", "Job", "Größe", "Library.Shelf", "Library.Deep.Customer"]
      .randomElement(using: &generator) ?? "Tag"
    let many =
      ["NSSet", "NSOrderedSet", "Set<\(object)>", "[\(object)]"]
      .randomElement(using: &generator) ?? "NSSet"
    let (head, call) =
      [
        ("addTo\(key)(_ value: \(object))", "(_:)"),
        ("removeFrom\(key)(_ values: \(many))", "(_:)"),
        ("insertInto\(key)(_ value: \(object), at idx: Int)", "(_:at:)"),
        ("removeFrom\(key)(at indexes: NSIndexSet)", "(at:)"),
        ("replace\(key)(at idx: Int, with value: \(object))", "(at:with:)"),
        ("replace\(key)(at indexes: NSIndexSet, with values: [\(object)])", "(at:with:)"),
        ("primitive\(key)() -> \(type(1))", "()"),
        ("setPrimitive\(key)(_ value: \(type(1)))", "(_:)"),
      ].randomElement(using: &generator) ?? ("", "")
    let name = head.prefix { $0 != "(" }
    return ("@NSManaged \(access)func \(head)", "    _ = self.\(name)\(call)\n")
  }

  // MARK: Names

  private static let words = [
    "job", "customer", "Jobs", "name", "tag", "URL", "id", "x", "foundation", "Essentials", "date",
    "string", "set", "array", "größe", "naïve", "日本", "tägx", "_", "a1", "it", "Customer",
    "library",
  ]
  private static let keywords = [
    "class", "default", "in", "protocol", "for", "where", "import", "case", "extension", "func",
    "operator", "let", "static", "throws", "repeat", "internal",
  ]

  private mutating func name(capitalized: Bool) -> String {
    while true {
      var name: String
      if !capitalized, Int.random(in: 0..<12, using: &generator) == 0 {
        name = Self.keywords.randomElement(using: &generator) ?? "class"
      } else {
        name = (0..<Int.random(in: 1...4, using: &generator)).map { part in
          let word = Self.words.randomElement(using: &generator) ?? "job"
          return part == 0 && !capitalized ? word : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
      }
      if capitalized, name.hasPrefix("_") { continue }
      guard name.contains(where: { $0 != "_" }), usedNames.insert(name.lowercased()).inserted else {
        continue
      }
      return Self.keywords.contains(name) ? "`\(name)`" : name
    }
  }

  // MARK: Types

  private static let hashable = [
    "String", "Int", "Int16", "Int64", "Bool", "Double", "Float", "UUID", "Date", "Data", "URL",
    "Decimal", "Tag", "Job", "Library.Job", "Library.State", "Library.Shelf",
    "Library.Deep.Customer", "Library.Added", "Box<Int>", "Box<Tag>", "Box<String>.Inner<Int>",
    "Box<Job>.Plain", "日本", "日本.Größe", "NSNumber", "NSString", "NSDecimalNumber", "NSObject",
    "NSManagedObject", "NSManagedObjectID", "Customer_Jobs.Job", "Foundation.Date", "AnyHashable",
    "IndexPath", "IndexSet", "Locale", "TimeZone", "Calendar.Identifier", "Date.Span",
    "TimeInterval", "String.Encoding", "CGFloat", "NSRange", "Range<Int>", "Character",
  ]
  private static let others = [
    "NSSet", "NSOrderedSet", "NSArray", "NSDictionary", "Any", "AnyObject", "Named", "any Aged",
    "any Named & Aged", "any Customer_Named", "Tags", "Two<Int>", "Two<Tag>", "Library.States",
    "NSCoding", "any NSCopying & NSCoding", "any Error", "any Codable", "any Sendable",
    "any NSObjectProtocol", "NSAttributedString", "Measurement<UnitLength>", "NSNotification.Name",
    "NSObject & Named", "NSPredicate", "any Named & Customer_Named & Aged",
    "(Int, String)", "(job: Tag, Job?)",
  ]

  private mutating func hashableType(_ depth: Int) -> String {
    switch depth > 0 ? Int.random(in: 0..<8, using: &generator) : 7 {
    case 0: "Set<\(hashableType(depth - 1))>"
    case 1: "[\(hashableType(depth - 1))]"
    case 2: "Box<\(hashableType(depth - 1))>"
    case 3: "\(hashableType(depth - 1))?"
    default: Self.hashable.randomElement(using: &generator) ?? "Int"
    }
  }

  private mutating func type(_ depth: Int) -> String {
    guard depth > 0 else {
      let isHashable = Bool.random(using: &generator)
      return (isHashable ? Self.hashable : Self.others).randomElement(using: &generator) ?? "Int"
    }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: return "[\(type(depth - 1))]"
    case 1: return "[\(hashableType(depth - 1)): \(type(depth - 1))]"
    case 2: return "Set<\(hashableType(depth - 1))>"
    case 3: return "Set<\(hashableType(depth - 1))>?"
    case 4: return "(\(type(depth - 1)), \(type(depth - 1)))"
    case 5: return "Optional<\(type(depth - 1))>"
    case 6, 7: return "(\(type(depth - 1)))?"
    case 8: return "Dictionary<\(hashableType(depth - 1)), \(type(depth - 1))>?"
    default: return type(0)
    }
  }
}
