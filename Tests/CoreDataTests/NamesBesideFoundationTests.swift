import CoreData
import Foundation
import Testing

/// This file imports CoreData and Foundation, as most files of apps do.
@Suite struct NamesBesideFoundationTests {
  @Test func `predicate classes need no aliases, although Foundation has classes of these names`() {
    let age: NSExpression = NSExpression(forKeyPath: "age")
    let adult: NSComparisonPredicate = NSComparisonPredicate(
      leftExpression: age, rightExpression: NSExpression(forConstantValue: 18),
      modifier: .direct, type: .greaterThanOrEqualTo)
    let both: NSCompoundPredicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
      adult, NSPredicate(format: "name != nil"),
    ])
    #expect(both.predicateFormat == "age >= 18 AND name != nil")
    let any: NSPredicate = both
    #expect((any as? NSCompoundPredicate)?.compoundPredicateType == .and)
    #expect((both.subpredicates[0] as? NSComparisonPredicate)?.leftExpression == age)
    #expect(NSExpression.ExpressionType.keyPath == age.expressionType)
  }
}
