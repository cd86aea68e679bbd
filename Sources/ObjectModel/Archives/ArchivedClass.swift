/// A class in archives: its own name, followed by those of its superclasses.
struct ArchivedClass: Hashable {
  let names: [String]

  private init(_ names: String...) {
    self.names = names + ["NSObject"]
  }

  static let array = Self("NSArray")
  static let mutableArray = Self("NSMutableArray", "NSArray")
  static let dictionary = Self("NSDictionary")
  static let mutableDictionary = Self("NSMutableDictionary", "NSDictionary")
  static let set = Self("NSSet")
  static let null = Self("NSNull")
  static let date = Self("NSDate")
  static let uuid = Self("NSUUID")
  static let url = Self("NSURL")
  static let decimal = Self(
    "NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue")
  static let knownKeysDictionary = Self(
    "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary")
  static let knownKeysMapping = Self("NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy")

  static let model = Self("NSManagedObjectModel")
  static let entity = Self("NSEntityDescription")
  static let attribute = Self("NSAttributeDescription", "NSPropertyDescription")
  static let derivedAttribute = Self(
    "NSDerivedAttributeDescription", "NSAttributeDescription", "NSPropertyDescription")
  static let compositeAttribute = Self(
    "NSCompositeAttributeDescription", "NSAttributeDescription", "NSPropertyDescription")
  static let relationship = Self("NSRelationshipDescription", "NSPropertyDescription")
  static let fetchedProperty = Self("NSFetchedPropertyDescription", "NSPropertyDescription")
  static let expressionProperty = Self("NSExpressionDescription", "NSPropertyDescription")
  static let index = Self("NSFetchIndexDescription")
  static let indexElement = Self("NSFetchIndexElementDescription")
  static let fetchRequest = Self("NSFetchRequest", "NSPersistentStoreRequest")
  static let sortDescriptor = Self("NSSortDescriptor")

  static let comparisonPredicate = Self("NSComparisonPredicate", "NSPredicate")
  static let compoundPredicate = Self("NSCompoundPredicate", "NSPredicate")
  static let truePredicate = Self("NSTruePredicate", "NSPredicate")
  static let falsePredicate = Self("NSFalsePredicate", "NSPredicate")
  static let equalityOperator = Self("NSEqualityPredicateOperator", "NSPredicateOperator")
  static let comparisonOperator = Self("NSComparisonPredicateOperator", "NSPredicateOperator")
  static let inOperator = Self("NSInPredicateOperator", "NSPredicateOperator")
  static let betweenOperator = Self("NSBetweenPredicateOperator", "NSPredicateOperator")
  static let likeOperator = Self(
    "NSLikePredicateOperator", "NSMatchingPredicateOperator", "NSStringPredicateOperator",
    "NSPredicateOperator")
  static let matchesOperator = Self(
    "NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator")
  static let substringOperator = Self(
    "NSSubstringPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator")

  static let selfExpression = Self("NSSelfExpression", "NSExpression")
  static let constantExpression = Self("NSConstantValueExpression", "NSExpression")
  static let variableExpression = Self("NSVariableExpression", "NSExpression")
  static let keyPathExpression = Self(
    "NSKeyPathExpression", "NSFunctionExpression", "NSExpression")
  static let keyPathSpecifier = Self("NSKeyPathSpecifierExpression", "NSExpression")
  static let functionExpression = Self("NSFunctionExpression", "NSExpression")
  static let aggregateExpression = Self("NSAggregateExpression", "NSExpression")
  static let subqueryExpression = Self("NSSubqueryExpression", "NSExpression")
  static let ternaryExpression = Self("NSTernaryExpression", "NSExpression")
  static let fetchExpression = Self("NSFetchRequestExpression", "NSExpression")

  static let mappingModel = Self("NSMappingModel")
  static let entityMapping = Self("NSEntityMapping")
  static let propertyMapping = Self("NSPropertyMapping")
}
