import Foundation
import ObjectModel

/// Writes the compiled form of a model, where it is not there already.
struct CompiledModelWriter {
  let names: ClassNames

  /// - Throws: ``Mistakes`` for a model that cannot be written.
  func write(_ model: SourceModel, to folder: URL) throws {
    for version in model.versions.versions {
      for entity in version.model.entities {
        entity.representedClassName = entity.representedClassName.map(names.compiled)
      }
    }
    let place = folder.appendingPathComponent("\(model.name).\(model.compiledExtension)")
    let draft = folder.appendingPathComponent("draft.\(model.compiledExtension)")
    do {
      try model.versions.write(to: draft, replacingExisting: true)
      // What is there and the same stays, so that nothing is copied for it.
      if FileManager.default.contentsEqual(atPath: draft.path, andPath: place.path) {
        try FileManager.default.removeItem(at: draft)
        return
      }
      if FileManager.default.fileExists(atPath: place.path) {
        try FileManager.default.removeItem(at: place)
      }
      try FileManager.default.moveItem(at: draft, to: place)
    } catch {
      throw Mistakes(list: [
        Diagnostic(location: .init(file: model.url.path), message: error.localizedDescription)
      ])
    }
  }
}
