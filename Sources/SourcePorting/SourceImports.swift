import SourceReading
import SwiftSyntax

/// What a source imports, and what it lacks. The library: it has names that a header of its target, or
/// another module, imports for it on Apple's platforms; or types that Foundation has there are the library's
/// elsewhere, or those under Foundation's names are of no use to it. Other modules: Foundation is several
/// elsewhere.
struct SourceImports {
  static let library = "CoreData"
  static let shared: Set<String> = [
    "NSExpression", "NSComparisonPredicate", "NSCompoundPredicate", "SortDescriptor", "Selector",
    "ValueTransformer", "NSValueTransformerName", "UndoManager", "autoreleasepool",
    "AutoreleasingUnsafeMutablePointer",
    "NSErrorPointer", "NSFastEnumerationIterator",
    "NSKeyValueChange", "NSKeyValueChangeKey", "NSKeyValueObservingOptions",
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
    "objc_setAssociatedObject", "objc_getAssociatedObject", "objc_removeAssociatedObjects",
    "objc_AssociationPolicy", SelectorObserver.function,
  ]

  /// Modules whose names are in no package's way.
  private static let systemModules: Set<String> = [
    library, "Foundation", "UIKit", "AppKit", "Cocoa", "SwiftUI", "Combine", "ObjectiveC", "os",
    "OSLog", "Observation", "Dispatch", "XCTest", "Testing",
  ]

  /// Those of the first kind that the source mentions.
  private var ownNames: Set<String> = []
  /// Those of the second.
  private var sharedNames: Set<String> = []
  /// The separate modules' names that it mentions, by the module.
  private var separateNames: [String: Set<String>] = [:]
  private var modules: Set<String> = []
  /// Whether it has `@FetchRequest` without SwiftUI.
  private(set) var haveLiveResults = false
  private var foundation: ImportDeclSyntax?
  private var last: ImportDeclSyntax?

  mutating func note(_ node: ImportDeclSyntax, _ module: String) {
    // `import class Foundation.Bundle` imports that class alone.
    if node.importKindSpecifier != nil { return }
    modules.insert(module)
    if module == "DeclarativeCoreData" { haveLiveResults = true }
    // Inside a condition it would be there for some only.
    guard node.parent?.parent?.parent?.is(SourceFileSyntax.self) == true else { return }
    if module == "Foundation", foundation == nil { foundation = node }
    last = node
  }

  mutating func noteName(_ name: String) {
    if Self.own.contains(name) { ownNames.insert(name) }
    if Self.shared.contains(name) { sharedNames.insert(name) }
    for module in SeparateModule.all where module.has(name) {
      separateNames[module.name, default: []].insert(name)
    }
  }

  /// A module that a source lacks: the lines that import it, and why.
  struct Missing {
    let lines: String
    let reason: String
  }

  var missing: [Missing] {
    var missing: [Missing] = []
    if let reason = reasonForLibrary {
      missing.append(Missing(lines: "\(access)import \(Self.library)", reason: reason))
    }
    let hasOthers = !modules.subtracting(Self.systemModules).isEmpty
    for module in SeparateModule.all where !modules.contains(module.name) {
      var names = separateNames[module.name] ?? []
      if hasOthers { names.subtract(module.namesOfPackages) }
      if names.isEmpty { continue }
      missing.append(
        Missing(
          lines: module.lines(access),
          reason:
            "\(names.sorted().joined(separator: ", ")): beyond Apple's platforms of the module \(module.name)"
        ))
    }
    return missing
  }

  /// How widely Foundation is imported: what comes with it on Apple's platforms is as far.
  private var access: String {
    guard let foundation else { return "" }
    let exported = foundation.attributes.has("_exported") ? "@_exported " : ""
    return exported + foundation.modifiers.map { $0.trimmedDescription + " " }.joined()
  }

  private var reasonForLibrary: String? {
    if modules.contains(Self.library) { return nil }
    if !ownNames.isEmpty {
      let names = ownNames.sorted().joined(separator: ", ")
      return "\(names): of \(Self.library), which the file does not import itself"
    }
    // XCTest brings Foundation with it.
    guard !sharedNames.isEmpty, foundation != nil || modules.contains("XCTest") else { return nil }
    return
      "\(sharedNames.sorted().joined(separator: ", ")): beyond Apple's platforms stores know those of"
      + " \(Self.library)"
  }

  /// Where imports are put: after the others; else before what comes first.
  func place(in file: SourceFileSyntax) -> (position: AbsolutePosition, isAfterOthers: Bool)? {
    if let last = foundation ?? last { return (last.endPosition, true) }
    guard let first = file.statements.first else { return nil }
    let hasComment = first.leadingTrivia.contains { piece in
      switch piece {
      case .docLineComment, .docBlockComment: true
      default: false
      }
    }
    return (hasComment ? first.position : first.positionAfterSkippingLeadingTrivia, false)
  }
}
