import Foundation
import ObjectModel
import SwiftParser
import SwiftSyntax

/// Finds what would make the classes of models no Swift that compiles, and says where in the model it is.
struct ClassNameCheck {
  let models: [SourceModel]
  var table: TypeTable
  private(set) var mistakes: [SourceDiagnostic] = []

  // MARK: Names

  /// Finds models and classes that are there twice, classes that are not there, and names that are none.
  mutating func classes() {
    var entities: [String: String] = [:]
    for (number, model) in models.enumerated() {
      if models[..<number].contains(where: { $0.name == model.name }) {
        mistakes.append(
          SourceDiagnostic(
            location: .init(file: model.url.path),
            message: "the target has another model named '\(model.name)'; in its bundle both would"
              + " have one place"))
      }
      let text = model.text
      for entity in model.entities {
        guard let name = ClassNames.plain(entity), let generation = ClassWriter.generation(entity)
        else { continue }
        let label = "\(model.name).\(entity.name ?? "")"
        let mistake =
          mistake(name, generation)
          ?? entities[name].map { "the class '\(name)' is generated for \($0) already" }
        entities[name] = entities[name] ?? label
        guard let mistake else { continue }
        note(mistake, entity, at: text.location(entity: entity.name, property: nil))
      }
    }
  }

  private func mistake(_ name: String, _ generation: ClassWriter.Generation) -> String? {
    guard TypeSpelling.isIdentifier(name) else {
      return "'\(name)' cannot be the name of a class in Swift"
    }
    let present = table.own([name])
    switch generation {
    case .class:
      return present.first.map {
        "the class '\(name)' is in \($0.scope.file.path) already; set Codegen of the entity to"
          + " \"Manual/None\", or to \"Category/Extension\" to have its properties added"
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
    mistakes.append(SourceDiagnostic(location: location, message: "\(subject): \(message)"))
  }

  // MARK: Types

  /// Finds classes that properties of generated classes name and nobody declares.
  ///
  /// - Parameter file: the generated source.
  /// - Returns: the modules, besides the target and those that come with CoreData, that have to be imported
  ///   for what is named.
  /// - Throws: ``SourceDiagnostic`` for a source of a module below that cannot be read.
  mutating func types(of model: SourceModel, in file: SourceFile) throws -> [String] {
    let text = model.text
    var modules: Set<String> = []
    for entity in model.entities where ClassWriter.generation(entity) != nil {
      if let above = entity.superentity.flatMap(ClassNames.plain),
        ClassWriter.generation(entity) == .class
      {
        try find(TypeSpelling.escaped(above), in: file, &modules).map {
          note(
            "the class above it, '\(above)', \($0)", entity,
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

  /// Looks a type up as the generated source does, and notes the modules it is of.
  ///
  /// - Returns: why it is none, as a sentence's end; nil where it is one.
  private func find(
    _ name: String, in file: SourceFile, _ modules: inout Set<String>
  ) throws -> String? {
    let tree = Parser.parse(source: "let value: \(name)")
    guard !tree.hasError, tree.statements.count == 1,
      let syntax = tree.statements.first?.item.as(VariableDeclSyntax.self)?.bindings.first?
        .typeAnnotation?.type
    else { return "is no type in Swift" }
    do {
      let type = try TypeResolver(table: table).type(
        syntax, in: TypeResolver.Context(Scope(file: file)))
      modules.formUnion(type.modules.filter { table.dependencyNames.contains($0) })
      return nil
    } catch let error as UnknownType {
      return error.reason
    }
  }
}
