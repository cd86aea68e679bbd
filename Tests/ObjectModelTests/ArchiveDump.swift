import Foundation

@testable import ObjectModel

/// An archived model as comparable lines: one for each key of each entity and property.
///
/// References to entities and properties are replaced with their names. The mutability of arrays
/// and strings and the order of dictionaries are ignored.
struct ArchiveDump {
  /// The lines, by `Entity.property.key`.
  private(set) var lines: [String: String] = [:]
  private let archive: KeyedArchive

  init(_ archive: KeyedArchive) {
    self.archive = archive
    guard let root = archive.instance(.uid(archive.root)) else { return }
    for (key, value) in root.fields where key != "NSEntities" {
      lines["model.\(key)"] = text(value)
    }
    for entry in archive.entries(root.fields["NSEntities"]) ?? [] {
      guard let entity = archive.instance(entry.value), let name = archive.string(entry.key) else {
        continue
      }
      for (key, value) in entity.fields where key != "NSProperties" {
        lines["\(name).\(key)"] = text(value)
      }
      for property in archive.entries(entity.fields["NSProperties"]) ?? [] {
        add(property.value, named: archive.string(property.key) ?? "", of: name)
      }
    }
  }

  private mutating func add(_ value: PropertyListValue, named name: String, of entity: String) {
    guard var instance = archive.instance(value) else { return }
    // A proxy stands for the property of the parent entity, which has the same contents.
    if instance.className == "_NSPropertyDescriptionProxy",
      let original = archive.instance(instance.fields["NSUnderlyingProperty"])
    {
      instance = original
    }
    lines["\(entity).\(name).class"] = instance.className
    for (key, value) in instance.fields where key != "NSEntity" {
      lines["\(entity).\(name).\(key)"] = text(value)
    }
  }

  private func text(_ value: PropertyListValue) -> String {
    if let string = archive.string(value) { return "\"\(string)\"" }
    switch value {
    case .uid(0): return "nil"
    case .uid(let place):
      guard let instance = archive.instance(value) else {
        if case .value(let plain) = archive.objects[place] { return text(plain) }
        return "?"
      }
      return text(instance)
    case .array(let values): return "[\(values.map(text).joined(separator: ", "))]"
    case .dictionary(let values):
      return "{\(values.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" })}"
    case .bool(let truth): return truth ? "1" : "0"
    case .real(let number) where number == number.rounded() && abs(number) < 1e15:
      return "\(Int(number))"
    case .integer(let number): return "\(number)"
    case .unsigned(let number): return "\(number)"
    case .real(let number): return "\(number)"
    case .data(let data): return data.base64EncodedString()
    case .date(let date): return "\(date)"
    case .string(let string): return "\"\(string)\""
    }
  }

  private func text(_ instance: KeyedArchive.Instance) -> String {
    switch instance.className {
    case "NSManagedObjectModel": return "the model"
    case "NSEntityDescription":
      return "entity \(archive.string(instance.fields["NSEntityName"]) ?? "")"
    case "NSAttributeDescription", "NSRelationshipDescription", "NSDerivedAttributeDescription":
      return "property \(archive.string(instance.fields["NSPropertyName"]) ?? "")"
    case "_NSPropertyDescriptionProxy":
      return instance.fields["NSUnderlyingProperty"].map(text) ?? "?"
    case "NSArray", "NSMutableArray":
      let elements = archive.elements(.uid(instance.place)) ?? []
      return "[\(elements.map(text).joined(separator: ", "))]"
    case "NSSet", "NSMutableSet":
      let elements = archive.elements(.uid(instance.place)) ?? []
      return "{\(elements.map(text).sorted().joined(separator: ", "))}"
    case "NSDictionary", "NSMutableDictionary":
      let entries = archive.entries(.uid(instance.place)) ?? []
      let lines = entries.map { "\(text($0.key)): \(text($0.value))" }
      return "{\(lines.sorted().joined(separator: ", "))}"
    case "NSDecimalNumberPlaceholder" where archive.integer(instance.fields["NS.length"]) == 0:
      // Ignores the exponent of zero, which depends on how it was typed: 0.0 is 0 × 10⁻¹.
      return "decimal 0"
    default:
      let fields = instance.fields.filter { $0.key != "NSFetchIndexDescription" }
      let lines = fields.map { "\($0.key): \(text($0.value))" }
      return "\(instance.className)(\(lines.sorted().joined(separator: ", ")))"
    }
  }
}

extension ArchiveDump {
  /// A line that differs between two archives.
  struct Difference: CustomStringConvertible {
    let path: String
    let here: String
    let there: String

    var key: String { path.split(separator: ".").last.map(String.init) ?? path }
    var description: String { "\(path): \(here) / \(there)" }
  }

  /// Returns the lines that differ from another archive's, sorted.
  func differences(from other: ArchiveDump) -> [Difference] {
    Set(lines.keys).union(other.lines.keys).sorted().compactMap { path in
      let here = lines[path] ?? "absent"
      let there = other.lines[path] ?? "absent"
      return here == there ? nil : Difference(path: path, here: here, there: there)
    }
  }
}
