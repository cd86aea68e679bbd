import Foundation
import ObjectModel
import SwiftParser
import SwiftSyntax

/// Finds class names in models for which the generated code would not compile, and reports their locations.
struct ClassNameCheck {
  let models: [SourceModel]
  var table: TypeTable
  private(set) var errors: [SourceDiagnostic] = []

  // MARK: Names

  /// Finds duplicate models and classes, missing classes, and invalid class names.
  mutating func classes() {
    var entities: [String: String] = [:]
    for (number, model) in models.enumerated() {
      if models[..<number].contains(where: { $0.name == model.name }) {
        errors.append(
          SourceDiagnostic(
            location: .init(file: model.url.path),
            message: "the target has another model named '\(model.name)', and both would have the"
              + " same path in its bundle"))
      }
      let text = model.text
      for entity in model.entities {
        guard let name = ClassNames.plain(entity), let generation = ClassWriter.generation(entity)
        else { continue }
        let label = "\(model.name).\(entity.name ?? "")"
        let problem =
          problem(name, generation)
          ?? entities[name].map { "the class '\(name)' is already generated for \($0)" }
        entities[name] = entities[name] ?? label
        guard let problem else { continue }
        note(problem, entity, at: text.location(entity: entity.name, property: nil))
      }
    }
  }

  private func problem(_ name: String, _ generation: ClassWriter.Generation) -> String? {
    guard TypeSpelling.isIdentifier(name) else {
      return "'\(name)' cannot be the name of a class in Swift"
    }
    let present = table.own([name])
    switch generation {
    case .class:
      return present.first.map {
        "\($0.scope.file.path) already declares the class '\(name)'; set the entity's Codegen to"
          + " \"Manual/None\", or to \"Category/Extension\" to add its properties"
      }
    case .category:
      return present.isEmpty
        ? "Codegen is \"Category/Extension\", and the target has no class '\(name)' to extend"
        : nil
    }
  }

  private mutating func note(
    _ message: String, _ entity: NSEntityDescription, _ property: NSPropertyDescription? = nil,
    at location: SourceDiagnostic.Location
  ) {
    let subject = [entity.name, property?.name].compactMap { $0 }.joined(separator: ".")
    errors.append(SourceDiagnostic(location: location, message: "\(subject): \(message)"))
  }

  // MARK: Types

  /// Finds superclasses of generated classes, and classes of their properties, that are not declared.
  ///
  /// - Parameter file: The generated source.
  /// - Returns: The modules that have to be imported for these classes, besides the target and the modules that
  ///   CoreData re-exports.
  /// - Throws: ``SourceDiagnostic`` for a dependency's source that cannot be read; ``SourceErrors`` for its model.
  mutating func types(of model: SourceModel, in file: SourceFile) throws -> [String] {
    let text = model.text
    var modules: Set<String> = []
    for entity in model.entities where ClassWriter.generation(entity) != nil {
      if let above = entity.superentity.flatMap(ClassNames.plain),
        ClassWriter.generation(entity) == .class
      {
        try find(TypeSpelling.escaped(above), in: file, &modules).map {
          note(
            "its superclass '\(above)' \($0)", entity,
            at: text.location(entity: entity.name, property: nil))
        }
      }
      for property in entity.ownProperties {
        guard let name = namedClass(property) else { continue }
        try find(name, in: file, &modules).map {
          note(
            "its class '\(name)' \($0)", entity, property,
            at: text.location(entity: entity.name, property: property.name))
        }
      }
    }
    return modules.sorted()
  }

  private func namedClass(_ property: NSPropertyDescription) -> String? {
    switch property {
    case let attribute as NSAttributeDescription: PropertyType.valueClass(of: attribute)
    case let relationship as NSRelationshipDescription:
      relationship.destinationEntity.flatMap(ClassNames.plain).map(TypeSpelling.escaped)
    default: nil
    }
  }

  /// Looks up a type as the compiler would in the generated source, and records the modules that it belongs to.
  ///
  /// - Returns: Why there is no such type, as the end of a sentence; nil if there is.
  private func find(
    _ name: String, in file: SourceFile, _ modules: inout Set<String>
  ) throws -> String? {
    // The model may contain any text as the name. Accept only a text that is exactly the type of this declaration:
    // an initializer, an accessor, a second variable or a comment would become a part of the generated source.
    let tree = Parser.parse(source: "let value: \(name)")
    guard !tree.hasError, tree.statements.count == 1,
      let bindings = tree.statements.first?.item.as(VariableDeclSyntax.self)?.bindings,
      bindings.count == 1, let syntax = bindings.first?.typeAnnotation?.type,
      syntax.trimmedDescription == name
    else { return "is not a Swift type" }
    do {
      var context = TypeResolver.Context(Scope(file: file))
      context.isOfModel = true
      let type = try TypeResolver(table: table).type(syntax, in: context)
      modules.formUnion(type.modules.filter { table.dependencyNames.contains($0) })
      return nil
    } catch let error as UnknownType {
      return error.reason
    }
  }
}
