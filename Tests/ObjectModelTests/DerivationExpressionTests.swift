import Foundation
import Predicates
import Testing

@testable import ObjectModel

@Suite("Expressions of derived attributes")
struct DerivationExpressionTests {
  /// The text in the version hash equals Apple's for a key path, an operator, `canonical:` and
  /// `now()` (vectors.json of the fixtures). For other expressions it is NSExpression's
  /// description, and Apple's text is unknown.
  @Test(
    "All spellings of an expression are equal, and have the same format text and editor text",
    arguments: [
      ("team.name", "team.name", "team.name"),
      ("players.@count", "count:(players)", "players.@count"),
      ("count(players)", "count:(players)", "players.@count"),
      ("players.@max.age", "max:(players.age)", "players.age.@max"),
      ("canonical:( name )", "canonical:(name)", "canonical:(name)"), ("now()", "now()", "now()"),
      (
        "players.@max.age - players.@min.age", "players.@max.age - players.@min.age",
        "players.@max.age - players.@min.age"
      ), ("add:to:(members.@count, 1)", "members.@count + 1", "members.@count + 1"),
      ("multiply:by:(score, 2)", "score * 2", "score * 2"),
      (
        "length:(name) + length:(team.name)", "length:(name) + length:(team.name)",
        "length:(name) + length:(team.name)"
      ), ("length(name)", "length:(name)", "length:(name)"), ("a +", "a +", "a +"), ("", "", ""),
    ])
  func spellings(text: String, format: String, editor: String) throws {
    let expression = DerivationExpression(text: text)
    #expect(expression.formatText == format)
    #expect(expression.editorText == editor)
    #expect(DerivationExpression(text: format) == expression)
    #expect(DerivationExpression(text: editor) == expression)
  }

  @Test(
    "An expression stays equal when it is set, and when the model is written and read",
    arguments: [
      "title", "members.@count", "members.@max.age - members.@min.age", "length:(title) + 1",
      "uppercase:(lowercase:(title))", "members.age.@sum * 1.5", "length:(title) - length:(title)",
      "canonical:(title)", "now()",
    ])
  func written(text: String) throws {
    let spoiled = try SpoiledModel()
    let derived = NSDerivedAttributeDescription()
    derived.name = "derived"
    derived.attributeType = .doubleAttributeType
    derived.derivationExpression = NSExpression(format: text)
    #expect(derived.derivationExpression == NSExpression(format: text))
    spoiled.team.ownProperties.append(derived)
    let read = try NSManagedObjectModel(storeModelCache: spoiled.model.storeModelCache())
    let found = read.entitiesByName["Team"]?.attributesByName["derived"]
    #expect(
      (found as? NSDerivedAttributeDescription)?.derivationExpression == NSExpression(format: text))
    #expect(read.entityVersionHashesByName == spoiled.model.entityVersionHashesByName)
  }
}
