import Foundation
import ObjectModel

/// Writes compiled models and mapping models, unless the files exist with the same content.
struct CompiledModelWriter {
  let names: ClassNames

  /// - Throws: ``SourceErrors`` for a model that cannot be written.
  func write(_ model: SourceModel, to folder: URL) throws {
    // Each version is compiled with the class names of its own entities.
    for version in model.versions.versions {
      for entity in version.model.entities {
        entity.representedClassName = entity.representedClassName.map(names.compiled)
      }
    }
    let place = folder.appendingPathComponent("\(model.name).\(model.compiledExtension)")
    try Self.write(place, for: model.url.path) { draft in
      try model.versions.write(to: draft, replacingExisting: true)
    }
  }

  /// Compiles a mapping model.
  ///
  /// - Returns: Warnings in the format of compilers.
  /// - Throws: ``SourceErrors`` for a mapping model that cannot be read or written.
  func write(mappingModel path: String, to folder: URL) throws -> [String] {
    let url = URL(fileURLWithPath: path)
    let name = url.deletingPathExtension().lastPathComponent
    var warnings: [String] = []
    try Self.write(folder.appendingPathComponent("\(name).cdm"), for: path) { draft in
      let mapping = try NSMappingModel(validating: url) {
        warnings.append("\(path): warning: \($0)")
      }
      for entity in mapping.entityMappings ?? [] {
        entity.entityMigrationPolicyClassName =
          entity.entityMigrationPolicyClassName.map(names.compiled)
      }
      try mapping.write(to: draft, replacingExisting: true)
    }
    return warnings
  }

  /// Replaces a file or folder whose content has changed; otherwise keeps it, so that the build does not copy it again.
  private static func write(_ place: URL, for path: String, _ fill: (URL) throws -> Void) throws {
    // The extension determines the format of the file, so the draft has the same extension.
    let draft = place.appendingPathExtension("draft").appendingPathExtension(place.pathExtension)
    do {
      try fill(draft)
      if FileManager.default.contentsEqual(atPath: draft.path, andPath: place.path) {
        try FileManager.default.removeItem(at: draft)
        return
      }
      if FileManager.default.fileExists(atPath: place.path) {
        try FileManager.default.removeItem(at: place)
      }
      try FileManager.default.moveItem(at: draft, to: place)
    } catch {
      // The build would copy the draft into the program as a resource.
      try? FileManager.default.removeItem(at: draft)
      throw SourceErrors(list: [
        SourceDiagnostic(location: .init(file: path), message: error.localizedDescription)
      ])
    }
  }
}
