/// The types of this library that properties and methods may have, by module and kind; in the form of
/// ``SystemTypes``.
enum LibraryTypes {
  /// In the order in which a name is looked for.
  static let groups: [SystemTypes.Group] = [
    SystemTypes.Group(
      module: "CoreData", kind: .class,
      names: """
        ManagedKey NSFetchRequest/1 NSManagedObject NSManagedObjectContext NSMergePolicy
        NSPersistentContainer NSPersistentStore NSPersistentStoreCoordinator UndoManager
        """),
    SystemTypes.Group(module: "StoreEngine", kind: .class, names: "NSManagedObjectID"),
    SystemTypes.Group(
      module: "CoreData", kind: .protocol, names: "NSFetchRequestResult"),
    SystemTypes.Group(
      module: "ObjectModel", kind: .class,
      names: """
        NSAttributeDescription NSEntityDescription NSManagedObjectModel NSPropertyDescription
        NSRelationshipDescription ValueTransformer
        """),
    SystemTypes.Group(
      module: "ObjectModel", kind: .enumeration, names: "NSAttributeType NSDeleteRule"),
    SystemTypes.Group(
      module: "Predicates", kind: .class,
      names: "NSComparisonPredicate NSCompoundPredicate NSExpression"),
    SystemTypes.Group(module: "Predicates", kind: .structure, names: "Selector SortDescriptor/1"),
  ]
}
