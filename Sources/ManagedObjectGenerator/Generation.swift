import Foundation
import ObjectModel

/// Generates all files for one target.
struct Generation {
  let arguments: CommandArguments

  /// The name of the file with the accessors for hand-written sources.
  static let accessorsFile = "ManagedObjectAccessors.swift"

  /// Returns the name of the file with the classes of a model.
  static func classesFile(of model: String) -> String { "\(model)+ManagedObjectClasses.swift" }

  /// Reads models and sources, and writes the generated files. Does not write to a file whose content is unchanged.
  ///
  /// - Returns: Warnings in the format of compilers.
  /// - Throws: ``SourceErrors`` with the errors of the first step that fails, ``SourceDiagnostic`` for a source that
  ///   cannot be read, or an error of writing a file. Files that were written before the error remain.
  func run() throws -> [String] {
    let folder = URL(fileURLWithPath: arguments.output)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let module = arguments.module
    let sources = try arguments.sources.map { try SourceFile(contentsOf: $0, module: module) }
    let declarations = sources.map { DeclarationReader.read($0) }
    let importsPublicly = declarations.contains { file in
      file.imports.contains { $0.module == "CoreData" && $0.isPublic }
    }
    let models = try arguments.models.map { try SourceModel(at: $0) }
    // This table lacks the generated classes, so that the check finds a class of the same name in the sources.
    let own = TypeTable(module: module, declarations)
    var check = ClassNameCheck(models: models, table: own)
    check.classes()
    // Classes with these errors do not compile, so nothing is generated from them.
    guard check.errors.isEmpty else { throw SourceErrors(list: check.errors) }

    // Hand-written sources use the model's classes like any other type.
    var writers = models.map {
      ClassWriter(model: $0, table: own, importsPublicly: importsPublicly)
    }
    let generated = writers.map { writer in
      SourceFile(
        path: Self.classesFile(of: writer.model.name), module: module, text: writer.text)
    }
    let accessors = try SourceAccessors(
      module: module, files: sources + generated, dependencies: arguments.dependencies,
      modelNames: Set(models.flatMap(\.entities).flatMap(\.ownProperties).map(\.name)))
    // This table has the generated classes too.
    check.table = accessors.table
    for (number, file) in generated.enumerated() {
      writers[number].modules = try check.types(of: models[number], in: file)
    }
    guard check.errors.isEmpty else { throw SourceErrors(list: check.errors) }
    try write(accessors.text, to: folder.appendingPathComponent(Self.accessorsFile))
    let writer = CompiledModelWriter(names: ClassNames(table: accessors.table))
    for classes in writers {
      let model = classes.model
      try write(classes.text, to: folder.appendingPathComponent(Self.classesFile(of: model.name)))
      // Write the compiled model last, because this changes the class names in the model.
      try writer.write(model, to: folder)
    }
    return try models.flatMap(\.warnings)
      + arguments.mappingModels.flatMap {
        try writer.write(mappingModel: $0, to: folder)
      }
  }

  private func write(_ text: String, to file: URL) throws {
    let data = Data(text.utf8)
    // A new modification date would make the build compile the file again.
    if (try? Data(contentsOf: file)) == data { return }
    try data.write(to: file, options: .atomic)
  }
}
