import SwiftSyntax

/// What a source imports, and whether it lacks the library: it has names that a header of its target, or
/// another module, imports for it on Apple's platforms; or types that Foundation has there are the library's
/// elsewhere, or those under Foundation's names are of no use to it.
struct SourceImports {
  static let library = "CoreData"
  static let shared: Set<String> = [
    "NSExpression", "NSComparisonPredicate", "NSCompoundPredicate", "SortDescriptor", "Selector",
    "ValueTransformer", "UndoManager", "autoreleasepool", "AutoreleasingUnsafeMutablePointer",
    "NSErrorPointer", "NSKeyValueChange", "NSKeyValueChangeKey", "NSKeyValueObservingOptions",
  ]
  private static let own: Set<String> = [
    "NSManagedObject", "NSManagedObjectContext", "NSManagedObjectID", "NSManagedObjectModel",
    "NSEntityDescription", "NSPropertyDescription", "NSAttributeDescription",
    "NSRelationshipDescription", "NSFetchedPropertyDescription", "NSExpressionDescription",
    "NSDerivedAttributeDescription", "NSCompositeAttributeDescription", "NSFetchIndexDescription",
    "NSFetchIndexElementDescription", "NSAttributeType", "NSDeleteRule", "NSPersistentContainer",
    "NSPersistentStore", "NSPersistentStoreCoordinator", "NSPersistentStoreDescription",
    "NSPersistentStoreRequest", "NSFetchRequest", "NSFetchRequestResult",
    "NSFetchRequestExpression",
    "NSAsynchronousFetchRequest", "NSSaveChangesRequest", "NSBatchInsertRequest",
    "NSBatchUpdateRequest", "NSBatchDeleteRequest", "NSBatchInsertResult", "NSBatchUpdateResult",
    "NSBatchDeleteResult", "NSFetchedResultsController", "NSFetchedResultsControllerDelegate",
    "NSFetchedResultsSectionInfo", "NSFetchedResultsChangeType", "NSMergePolicy", "NSMergeConflict",
    "NSConstraintConflict", "NSPersistentHistoryChange", "NSPersistentHistoryTransaction",
    "NSPersistentHistoryToken", "NSPersistentHistoryChangeRequest", "NSPersistentHistoryResult",
    "NSQueryGenerationToken", "NSAtomicStore", "NSAtomicStoreCacheNode", "NSIncrementalStore",
    "NSIncrementalStoreNode", "NSMappingModel", "NSEntityMapping", "NSPropertyMapping",
    "NSMigrationManager", "NSEntityMigrationPolicy", "NSStagedMigrationManager",
    "NSLightweightMigrationStage", "NSCustomMigrationStage", "NSManagedObjectModelReference",
    "NSSQLiteStoreType", "NSBinaryStoreType", "NSInMemoryStoreType",
  ]

  /// Those of the first kind that the source mentions.
  private var ownNames: Set<String> = []
  /// Those of the second.
  private var sharedNames: Set<String> = []
  private var hasLibrary = false
  /// Whether it has `@FetchRequest` without SwiftUI.
  private(set) var haveLiveResults = false
  private var foundation: ImportDeclSyntax?
  private var last: ImportDeclSyntax?

  mutating func note(_ node: ImportDeclSyntax, _ module: String) {
    // `import class Foundation.Bundle` imports that class alone.
    if node.importKindSpecifier != nil { return }
    if module == Self.library { hasLibrary = true }
    if module == "DeclarativeCoreData" { haveLiveResults = true }
    // Inside a condition it would be there for some only.
    guard node.parent?.parent?.parent?.is(SourceFileSyntax.self) == true else { return }
    if module == "Foundation", foundation == nil { foundation = node }
    last = node
  }

  mutating func noteName(_ name: String) {
    if Self.own.contains(name) { ownNames.insert(name) }
    if Self.shared.contains(name) { sharedNames.insert(name) }
  }

  /// An import of the library that the source lacks: where it belongs, the text, and why.
  func missing(in file: SourceFileSyntax) -> (
    place: AbsolutePosition, text: String, reason: String
  )? {
    if hasLibrary { return nil }
    let line = "import \(Self.library)"
    if !ownNames.isEmpty {
      let names = ownNames.sorted().joined(separator: ", ")
      let reason = "\(names): of \(Self.library), which the file does not import itself"
      if let last = foundation ?? last { return (last.endPosition, "\n\(line)", reason) }
      guard let first = file.statements.first else { return nil }
      let hasComment = first.leadingTrivia.contains { piece in
        switch piece {
        case .docLineComment, .docBlockComment: true
        default: false
        }
      }
      let place = hasComment ? first.position : first.positionAfterSkippingLeadingTrivia
      return (place, "\(line)\n\n", reason)
    }
    guard !sharedNames.isEmpty, let foundation else { return nil }
    return (
      foundation.endPosition, "\n\(line)",
      "\(sharedNames.sorted().joined(separator: ", ")): beyond Apple's platforms stores know those of"
        + " \(Self.library)"
    )
  }
}
