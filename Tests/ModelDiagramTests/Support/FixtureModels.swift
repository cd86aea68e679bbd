import FixtureSupport
import Foundation
import ObjectModel

@testable import ModelDiagram

/// The models among the fixtures.
enum FixtureModels {
  /// The paths of all source and compiled models, sorted.
  static var paths: [String] {
    ["models", "compiled"].flatMap { folder -> [String] in
      guard let names = FileManager.default.enumerator(atPath: Fixtures.url(folder).path) else {
        return []
      }
      return names.compactMap { $0 as? String }
        .filter { $0.hasSuffix(".xcdatamodel") || $0.hasSuffix(".mom") }
        .sorted().map { "\(folder)/\($0)" }
    }
  }

  /// The diagrams of all readable models, by path.
  static func diagrams() -> [(path: String, diagram: EntityDiagram)] {
    paths.compactMap { path in
      guard let model = try? NSManagedObjectModel(validating: Fixtures.url(path)) else {
        return nil
      }
      return (path, EntityDiagram(model, title: path))
    }
  }

  /// The diagram of one model.
  static func diagram(_ path: String) throws -> EntityDiagram {
    EntityDiagram(try NSManagedObjectModel(validating: Fixtures.url(path)), title: path)
  }
}
