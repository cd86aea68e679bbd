import Foundation

@testable import ObjectModel

/// Compares two archives object by object along every reference, including cycles.
///
/// Dictionaries and sets have no order. Equal plain values may be one object or several, because
/// the archiver shares some strings and not others. All other objects must correspond one to one.
struct ArchiveGraph {
  private let here: KeyedArchive
  private let there: KeyedArchive
  private var partners: [Int: Int] = [:]
  private var taken: [Int: Int] = [:]
  private(set) var differences: [String] = []

  /// The keys for the compiler that wrote a file, which differs from this library's.
  private static let compiler: Set = ["CDMCompilerToolVersion", "CDMCompilerXcodeVersion"]

  /// Returns the differences, each with its path from the root. Empty for equal graphs.
  static func differences(_ here: KeyedArchive, _ there: KeyedArchive) -> [String] {
    var graph = ArchiveGraph(here: here, there: there)
    graph.compare(.uid(here.root), .uid(there.root), "")
    return graph.differences
  }

  private init(here: KeyedArchive, there: KeyedArchive) {
    self.here = here
    self.there = there
  }

  private mutating func compare(
    _ one: PropertyListValue, _ other: PropertyListValue, _ path: String
  ) {
    let objects = (object(one, here), object(other, there))
    switch objects {
    case (.instance(let classes, let fields)?, .instance(let otherClasses, let otherFields)?):
      guard case .uid(let place) = one, case .uid(let otherPlace) = other else { return }
      if let partner = partners[place] {
        if partner != otherPlace { differences.append("\(path): other objects meet here") }
        return
      }
      if taken[otherPlace] != nil { differences.append("\(path): one object there, two here") }
      partners[place] = otherPlace
      taken[otherPlace] = place
      if classes != otherClasses {
        differences.append("\(path): \(classes) here, \(otherClasses) there")
      } else if fields["NS.keys"] != nil {
        compareEntries(one, other, path)
      } else if classes.contains("NSSet") {
        compareLists(sorted(one, here), sorted(other, there), path)
      } else {
        compareFields(fields, otherFields, path)
      }
    default: comparePlain(one, other, path)
    }
  }

  private mutating func compareFields(
    _ fields: [String: PropertyListValue], _ others: [String: PropertyListValue], _ path: String
  ) {
    let names = Set(fields.keys).union(others.keys).subtracting(Self.compiler)
    for name in names.sorted() {
      let inner = "\(path).\(name)"
      switch (fields[name], others[name]) {
      case (.array(let values)?, .array(let otherValues)?):
        compareLists(values, otherValues, inner)
      case (let value?, let other?): compare(value, other, inner)
      case (nil, _): differences.append("\(inner): only there")
      case (_, nil): differences.append("\(inner): only here")
      }
    }
  }

  private mutating func compareEntries(
    _ one: PropertyListValue, _ other: PropertyListValue, _ path: String
  ) {
    func table(_ value: PropertyListValue, _ archive: KeyedArchive) -> [String: PropertyListValue] {
      let entries = archive.entries(value) ?? []
      return Dictionary(
        entries.map { (archive.string($0.key) ?? "?", $0.value) }, uniquingKeysWith: { $1 })
    }
    compareFields(table(one, here), table(other, there), path)
  }

  private mutating func compareLists(
    _ values: [PropertyListValue], _ others: [PropertyListValue], _ path: String
  ) {
    guard values.count == others.count else {
      differences.append("\(path): \(values.count) here, \(others.count) there")
      return
    }
    for (place, pair) in zip(values, others).enumerated() {
      compare(pair.0, pair.1, "\(path)[\(place)]")
    }
  }

  private mutating func comparePlain(
    _ one: PropertyListValue, _ other: PropertyListValue, _ path: String
  ) {
    let values = (plain(one, here), plain(other, there))
    if values.0 != values.1 {
      differences.append(
        "\(path): \(values.0.map { "\($0)" } ?? "nil") here, "
          + "\(values.1.map { "\($0)" } ?? "nil") there")
    }
  }

  private func object(_ value: PropertyListValue, _ archive: KeyedArchive) -> KeyedArchive.Object? {
    guard let place = archive.place(value), case .instance = archive.objects[place] else {
      return nil
    }
    return archive.objects[place]
  }

  private func plain(
    _ value: PropertyListValue, _ archive: KeyedArchive
  ) -> PropertyListValue? {
    if object(value, archive) != nil { return .string("an object") }
    return archive.plain(value)
  }

  /// Returns the elements of a set, sorted by their text or their entities' names.
  private func sorted(_ value: PropertyListValue, _ archive: KeyedArchive) -> [PropertyListValue] {
    func name(_ element: PropertyListValue) -> String {
      archive.string(element)
        ?? archive.string(archive.instance(element)?.fields["NSEntityName"]) ?? ""
    }
    return (archive.elements(value) ?? []).sorted { name($0) < name($1) }
  }
}
