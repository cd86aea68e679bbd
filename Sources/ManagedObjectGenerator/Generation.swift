import Foundation
import ObjectModel

/// All that the tool makes for one target.
struct Generation {
  let arguments: Arguments

  /// The name of the file with the accessors of what is written by hand.
  static let accessorsFile = "ManagedObjectAccessors.swift"

  /// The name of the file with the classes of a model.
  static func classesFile(of model: String) -> String { "\(model)+ManagedObjectClasses.swift" }

  /// Reads models and sources, and writes what belongs to them.
  ///
  /// A file that is there and the same is not touched.
  ///
  /// - Returns: warnings, as compilers print them.
  /// - Throws: ``Mistakes`` with everything that is wrong; what was written before stays.
  func run() throws -> [String] {
    let folder = URL(fileURLWithPath: arguments.output)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let module = arguments.module
    let sources = try arguments.sources.map { try SourceFile(contentsOf: $0, module: module) }
    let declarations = sources.map { DeclarationReader.read($0) }
    let importsPublicly = declarations.contains { file in
      file.imports.contains { $0.text == "public import CoreData" }
    }
    let models = try arguments.models.map { try SourceModel(at: $0) }
    let texts = models.map { ClassWriter(model: $0, importsPublicly: importsPublicly).text }
    let own = TypeTable(module: module, declarations)
    try check(models, own)

    // Classes of the model are types like any other to what is written by hand.
    let generated = zip(models, texts).map { model, text in
      SourceFile(path: Self.classesFile(of: model.name), module: module, text: text)
    }
    let accessors = try SourceAccessors(
      module: module, files: sources + generated, dependencies: arguments.dependencies,
      modelNames: Set(models.flatMap(\.entities).flatMap(\.ownProperties).map(\.name)))
    try write(accessors.text, to: folder.appendingPathComponent(Self.accessorsFile))
    let writer = CompiledModelWriter(names: ClassNames(table: accessors.table))
    for (model, text) in zip(models, texts) {
      try write(text, to: folder.appendingPathComponent(Self.classesFile(of: model.name)))
      try writer.write(model, to: folder)
    }
    return try models.flatMap(\.warnings)
      + arguments.mappingModels.flatMap {
        try CompiledModelWriter.write(mappingModel: $0, to: folder)
      }
  }

  /// Finds classes that are there twice or not at all.
  private func check(_ models: [SourceModel], _ table: TypeTable) throws {
    var mistakes: [Diagnostic] = []
    for model in models {
      let text = ModelText(of: model.versions.currentVersionName, in: model.url)
      for entity in model.entities {
        guard let name = ClassNames.plain(entity), let generation = ClassWriter.generation(entity)
        else { continue }
        let present = table.own([name])
        let message: String
        switch generation {
        case .class:
          guard let first = present.first else { continue }
          message =
            "the class '\(name)' is in \(first.scope.file.path) already; set Codegen of the entity to"
            + " \"Manual/None\", or to \"Category/Extension\" to have its properties added"
        case .category:
          guard present.isEmpty else { continue }
          message =
            "Codegen is \"Category/Extension\", and the target has no class '\(name)' to extend"
        }
        mistakes.append(
          Diagnostic(
            location: text.location(entity: entity.name, property: nil),
            message: "\(entity.name ?? ""): \(message)"))
      }
    }
    guard mistakes.isEmpty else { throw Mistakes(list: mistakes) }
  }

  private func write(_ text: String, to file: URL) throws {
    let data = Data(text.utf8)
    if (try? Data(contentsOf: file)) == data { return }
    try data.write(to: file, options: .atomic)
  }
}
