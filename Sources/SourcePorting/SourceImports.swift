import SourceReading
import SwiftSyntax

/// The imports of a source, and those that it needs on other platforms.
///
/// A source needs the library if it uses names of Foundation that the library replaces, or names of Core Data that it
/// gets on Apple's platforms through a header of its target or through another module. It needs other modules because
/// on other platforms Foundation consists of several modules.
struct SourceImports {
  static let library = "CoreData"
  /// Names of Foundation that the library replaces.
  static let shared: Set<String> = [
    "NSExpression", "NSComparisonPredicate", "NSCompoundPredicate", "SortDescriptor", "Selector",
    "ValueTransformer", "NSValueTransformerName", "UndoManager", "autoreleasepool",
    "AutoreleasingUnsafeMutablePointer",
    "NSErrorPointer", "NSFastEnumerationIterator",
    "NSKeyValueChange", "NSKeyValueChangeKey", "NSKeyValueObservingOptions",
  ]
  /// Names that only the library declares on other platforms.
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

  /// Modules that are not from packages, so they declare none of ``SeparateModule/namesOfPackages``.
  private static let systemModules: Set<String> = [
    library, "Foundation", "UIKit", "AppKit", "Cocoa", "SwiftUI", "Combine", "ObjectiveC", "os",
    "OSLog", "Observation", "Dispatch", "XCTest", "Testing",
  ]

  /// The library's own names that the source uses.
  private var ownNames: Set<String> = []
  /// The names of Foundation that the library replaces and that the source uses.
  private var sharedNames: Set<String> = []
  /// The names of separate modules that the source uses, by module.
  private var separateNames: [String: Set<String>] = [:]
  private var modules: Set<String> = []
  /// Whether the source imports `DeclarativeCoreData`, which provides `@FetchRequest` without SwiftUI.
  private(set) var haveLiveResults = false
  private var foundation: ImportDeclSyntax?
  private var last: ImportDeclSyntax?

  mutating func note(_ node: ImportDeclSyntax, _ module: String) {
    // `import class Foundation.Bundle` imports that class alone.
    if node.importKindSpecifier != nil { return }
    modules.insert(module)
    if module == "DeclarativeCoreData" { haveLiveResults = true }
    // Inside `#if`, an import does not cover the whole file.
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

  /// A missing module: the lines that import it, and the reason.
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
            "\(names.sorted().joined(separator: ", ")) \(names.count == 1 ? "is" : "are") in the module \(module.name) on other platforms"
        ))
    }
    return missing
  }

  /// The access level of Foundation's import, which also applies to what Foundation includes on Apple's platforms.
  private var access: String {
    guard let foundation else { return "" }
    let exported = foundation.attributes.has("_exported") ? "@_exported " : ""
    return exported + foundation.modifiers.map { $0.trimmedDescription + " " }.joined()
  }

  private var reasonForLibrary: String? {
    if modules.contains(Self.library) { return nil }
    if !ownNames.isEmpty {
      let names = ownNames.sorted().joined(separator: ", ")
      return
        "\(names) \(ownNames.count == 1 ? "is" : "are") declared in \(Self.library), which this file does not import"
    }
    // XCTest re-exports Foundation.
    guard !sharedNames.isEmpty, foundation != nil || modules.contains("XCTest") else { return nil }
    let names = sharedNames.sorted().joined(separator: ", ")
    return
      "on other platforms, Core Data needs \(names) of the module \(Self.library), not of Foundation"
  }

  /// Returns the position for new imports: after existing ones, otherwise at the beginning.
  func place(in file: SourceFileSyntax) -> (position: AbsolutePosition, isAfterOthers: Bool)? {
    if let last = foundation ?? last { return (last.endPosition, true) }
    guard let first = file.statements.first else { return nil }
    // A documentation comment belongs to the declaration below it, so the import is inserted above
    // both.
    let hasComment = first.leadingTrivia.contains { piece in
      switch piece {
      case .docLineComment, .docBlockComment: true
      default: false
      }
    }
    return (hasComment ? first.position : first.positionAfterSkippingLeadingTrivia, false)
  }
}
