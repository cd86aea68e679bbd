import Foundation
import ObjectModel

@testable import ManagedObjectGenerator

/// A target with a model and sources, and a folder for the output.
final class GeneratedTarget {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("Generation-\(UUID().uuidString)")
  var output: URL { folder.appendingPathComponent("output") }

  /// Further options of the tool.
  var options: [String] = []

  init(entities: String, sources: [String: String] = [:]) throws {
    try add(entities, to: "Shop.xcdatamodeld")
    for (name, text) in sources {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
  }

  func add(_ entities: String, to model: String) throws {
    let url = folder.appendingPathComponent(model)
    let name = url.deletingPathExtension().lastPathComponent
    let version = url.appendingPathComponent("\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    try Data(
      "<model type=\"com.apple.IDECoreDataModeler.DataModel\">\n\(entities)\n</model>".utf8
    )
    .write(to: version.appendingPathComponent("contents"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func run() throws -> [String] {
    var words = ["--module", "Shop", "--output", output.path]
    words += ["--model", folder.appendingPathComponent("Shop.xcdatamodeld").path]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where name.hasSuffix(".swift") {
      words += ["--source", folder.appendingPathComponent(name).path]
    }
    return try Generation(arguments: CommandArguments(words + options)).run()
  }

  /// Runs the tool and returns its errors, without the folder's path.
  func errors() -> [String] {
    do {
      _ = try run()
      return []
    } catch {
      let text = "\(error)".replacing(folder.path + "/", with: "")
      return text.split(separator: "\n").map(String.init)
    }
  }

  func text(_ name: String) throws -> String {
    String(
      decoding: try Data(contentsOf: output.appendingPathComponent(name)), as: UTF8.self)
  }

  func classNames() throws -> [String: String] {
    let model = try NSManagedObjectModel(
      validating: output.appendingPathComponent("Shop.momd"))
    return model.entitiesByName.mapValues(\.managedObjectClassName)
  }
}
