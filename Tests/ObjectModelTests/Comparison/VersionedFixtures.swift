import FixtureSupport
import Foundation

@testable import ObjectModel

/// The source models among the fixtures that have several versions.
enum VersionedFixtures {
  /// The paths of the versions of each model, in the order of their numbers.
  static func histories() -> [[String]] {
    let versions = Dictionary(grouping: FixtureModels.sources) { path in
      path.split(separator: "/").dropLast().joined(separator: "/")
    }
    return versions.values.filter { $0.count > 1 }
      .map { $0.sorted { $0.compare($1, options: .numeric) == .orderedAscending } }
      .sorted { $0[0] < $1[0] }
  }

  /// Each version with the one after it.
  static func steps() -> [(old: String, new: String)] {
    histories().flatMap { zip($0, $0.dropFirst()).map { (old: $0, new: $1) } }
  }
}

extension ModelComparison {
  /// All changes as lines: a mark for what each asks of a migration, the place, the change.
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
