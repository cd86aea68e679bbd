import FixtureSupport
import Foundation

@testable import ObjectModel

/// Those source models among the fixtures that have several versions.
enum VersionedFixtures {
  /// Returns the paths of the versions of each model, in the order of their numbers.
  static func histories() -> [[String]] {
    let versions = Dictionary(grouping: FixtureModels.sources) { path in
      path.split(separator: "/").dropLast().joined(separator: "/")
    }
    func name(_ path: String) -> String { String(path.dropLast(".xcdatamodel".count)) }
    return versions.values.filter { $0.count > 1 }
      .map { $0.sorted { name($0).compare(name($1), options: .numeric) == .orderedAscending } }
      .sorted { $0[0] < $1[0] }
  }

  /// Returns each version with the next one.
  static func steps() -> [(old: String, new: String)] {
    histories().flatMap { zip($0, $0.dropFirst()).map { (old: $0, new: $1) } }
  }
}

extension ModelComparison {
  /// Returns each change with its locations on both sides. A comparison in the other direction must return the same
  /// if its sides are exchanged.
  func places(exchanged: Bool) -> [String] {
    func text(_ aspect: some Any, _ old: String?, _ new: String?) -> String {
      var aspect = "\(aspect)"
      if exchanged, aspect == "added" || aspect == "removed" {
        aspect = aspect == "added" ? "removed" : "added"
      }
      let sides = exchanged ? (new, old) : (old, new)
      return "\(aspect): \(sides.0 ?? "-") → \(sides.1 ?? "-")"
    }
    func place(_ property: NSPropertyDescription?) -> String? {
      property.map { "\($0.owner?.name ?? "").\($0.name)" }
    }
    return entities.flatMap { entity in
      entity.changes.map { text($0.aspect, $0.old?.name, $0.new?.name) }
        + entity.properties.flatMap(\.changes).map { text($0.aspect, place($0.old), place($0.new)) }
    }.sorted()
  }

  /// All changes, one in each line: a mark for the migration that the change needs, its location and its text.
  var lines: [String] {
    func mark(_ need: MigrationNeed) -> String {
      switch need {
      case .none: "="
      case .lightweight: "~"
      case .mappingModel: "!"
      }
    }
    var lines = modelChanges.map { "\(mark($0.migration)) \($0.text)" }
    for entity in entities {
      lines += entity.changes.map { "\(mark($0.migration)) \(entity.name) \($0.text)" }
      for property in entity.properties {
        lines += property.changes.map {
          "\(mark($0.migration)) \(entity.name).\(property.name) \($0.text)"
        }
      }
    }
    return lines
  }
}
