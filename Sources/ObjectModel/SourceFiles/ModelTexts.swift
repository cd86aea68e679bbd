/// Parses the predicates and expressions that a model file contains as text, to report invalid ones early.
///
/// A model with an invalid text can still be loaded. A coordinator rejects it, unless it was read from a compiled model
/// or a store.
struct ModelTexts {
  private(set) var unreadable: [String] = []

  /// Returns a description of each text that is not a valid predicate or expression: the text, its place in the model
  /// and the reason.
  static func unreadable(in model: NSManagedObjectModel) -> [String] {
    var texts = ModelTexts()
    for template in model.fetchRequestTemplates.values.sorted(by: { $0.name.isBefore($1.name) }) {
      texts.check(template, of: "fetch request '\(template.name)'")
    }
    for entity in model.entities { texts.check(entity) }
    return texts.unreadable
  }

  private mutating func check(_ entity: NSEntityDescription) {
    let name = entity.name ?? ""
    expression(entity.spotlightDisplayText, of: "entity '\(name)'")
    for index in entity.indexes {
      let place = "index '\(name).\(index.name)'"
      predicate(index.partialPredicateFormat, of: place)
      for element in index.elements { expression(element.expressionText, of: place) }
    }
    for property in entity.ownProperties {
      let place = "property '\(name).\(property.name)'"
      for rule in property.validationRules where rule.validationPredicate == nil {
        predicate(rule.predicateFormat, of: place)
      }
      if let derived = property as? NSDerivedAttributeDescription {
        expression(derived.derivationText, of: place)
        predicate(derived.filterText, of: place)
      }
      if let template = (property as? NSFetchedPropertyDescription)?.fetchTemplate {
        check(template, of: place)
      }
    }
  }

  private mutating func check(_ template: FetchRequestTemplate, of place: String) {
    for case .format(let text)? in [template.predicate, template.havingPredicate] {
      predicate(text, of: place)
    }
  }

  private mutating func predicate(_ text: String?, of place: String) {
    guard let text else { return }
    do {
      _ = try NSPredicate(validating: text)
    } catch {
      unreadable.append("predicate '\(text)' of \(place): \(error.localizedDescription)")
    }
  }

  private mutating func expression(_ text: String?, of place: String) {
    guard let text else { return }
    do {
      _ = try NSExpression(validating: text)
    } catch {
      unreadable.append("expression '\(text)' of \(place): \(error.localizedDescription)")
    }
  }
}
