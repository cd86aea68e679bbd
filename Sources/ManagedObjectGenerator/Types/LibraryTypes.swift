/// The types of this library that properties and methods may have, by module and kind; the format is that of
/// ``SystemTypes``.
enum LibraryTypes {
  /// The names by module and kind, in lookup order.
  static let names: KeyValuePairs<String, KeyValuePairs<NominalType.Kind, String>> = [
    "CoreData": [
      .class: """
      ManagedKey NSFetchRequest/1 NSManagedObject NSManagedObjectContext NSMergePolicy
      NSPersistentContainer NSPersistentStore NSPersistentStoreCoordinator UndoManager
      """,
      .protocol: "NSFetchRequestResult",
    ],
    "StoreEngine": [
      .class: "NSManagedObjectID"
    ],
    "ObjectModel": [
      .class: """
      NSAttributeDescription NSEntityDescription NSManagedObjectModel NSPropertyDescription
      NSRelationshipDescription ValueTransformer
      """,
      .enumeration: "NSAttributeType NSDeleteRule",
    ],
    "Predicates": [
      .class: "NSComparisonPredicate NSCompoundPredicate NSExpression",
      .structure: "Selector SortDescriptor/1",
    ],
  ]
}
