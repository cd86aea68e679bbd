extension ArchivedModelWriter {
  /// Archives a predicate from its text.
  func predicate(_ text: String, of entity: String, property: String?) throws -> PropertyListValue {
    let predicate: NSPredicate
    do {
      predicate = try NSPredicate(validating: text)
    } catch {
      throw ModelFileError.invalid(
        url, entity: entity, property: property,
        "'\(text)' is not a predicate. \(error.localizedDescription)")
    }
    return try self.predicate(predicate, of: entity, property: property)
  }

  /// Archives a predicate.
  func predicate(
    _ predicate: NSPredicate, of entity: String, property: String?
  ) throws -> PropertyListValue {
    try archivingPredicates(of: entity, property: property) {
      guard PredicateArchiver.canArchive(predicate) else {
        throw ArchivedPredicate.Failure.tooDeep
      }
      return try PredicateArchiver(writer: self, entity: entity, property: property)
        .predicate(predicate)
    }
  }

  /// Archives a validation rule.
  func predicate(
    _ rule: ValidationRule, of entity: String, property: String?
  ) throws -> PropertyListValue {
    guard let predicate = rule.validationPredicate else {
      return try self.predicate(rule.predicateFormat, of: entity, property: property)
    }
    return try self.predicate(predicate, of: entity, property: property)
  }

  /// Archives an expression from its text.
  func expression(_ text: String, of entity: String, property: String?) throws -> PropertyListValue
  {
    let expression: NSExpression
    do {
      expression = try NSExpression(validating: text)
    } catch {
      throw ModelFileError.invalid(
        url, entity: entity, property: property,
        "'\(text)' is not an expression. \(error.localizedDescription)")
    }
    return try archivingPredicates(of: entity, property: property) {
      try PredicateArchiver(writer: self, entity: entity, property: property)
        .expression(expression)
    }
  }

  /// Archives the expression of a derived attribute.
  func derivation(_ expression: DerivationExpression) -> PropertyListValue {
    let archiver = PredicateArchiver(writer: self, entity: "", property: nil)
    switch expression {
    case .keyPath(let path): return archiver.keyPath(path)
    case .function(let name, let arguments):
      return archiver.function(
        name, arguments.map { archiver.keyPath($0) }, isOperator: expression.isOperator)
    case .other(let text):
      let archived = try? archiver.expression(try NSExpression(validating: text))
      // A text that cannot be parsed or archived is kept as the text of a key path, so that reading the file returns
      // it.
      return archived ?? archiver.keyPath(text)
    }
  }

  private func archivingPredicates(
    of entity: String, property: String?, _ body: () throws -> PropertyListValue
  ) throws -> PropertyListValue {
    do {
      return try body()
    } catch let failure as ArchivedPredicate.Failure {
      throw ModelFileError.invalid(url, entity: entity, property: property, failure.reason)
    }
  }
}
