import SourceReading
import SwiftSyntax

/// Advice about what is missing on platforms without Objective-C.
enum Advice {
  static let keyPath =
    "#keyPath needs Objective-C, and a name that begins with a capital letter may be a type or a property:"
    + " write the key as a string"
  static func keyOfApples(_ name: String) -> String {
    "#keyPath needs Objective-C, and the Objective-C name of \(name), a property of one of Apple's classes, is not"
      + " known: write the key as a string, usually \"\(ApplesProperties.plain(name))\""
  }
  static let optionalRequirement =
    "optional requirements need Objective-C: add a default implementation of the requirement in an"
    + " extension of the protocol"
  static let attributeOfAccessor =
    "#if cannot enclose an attribute of an accessor: write the property twice, with and without the attribute, and"
    + " choose with #if canImport(ObjectiveC)"
  static func overrideInExtension(of type: String?, among classes: ManagedClasses) -> String {
    "overriding members in extensions needs Objective-C: "
      + move(into: type, among: classes)
  }
  static func requiredInExtension(of type: String?, among classes: ManagedClasses) -> String {
    "the initializer is required on other platforms, and required initializers have to be in the class itself,"
      + " marked required: " + move(into: type, among: classes)
  }
  static let observing =
    "other platforms have no key-value observing: managed objects are Observable (withObservationTracking), and"
    + " contexts post NSManagedObjectContextObjectsDidChange"
  static let combine =
    "other platforms have no Combine: observe with AsyncSequence (NotificationCenter.notifications,"
    + " NSFetchedResultsController.reports) or Observation, or keep it behind #if canImport(Combine)"
  private static let interface =
    "exists on Apple's platforms only: move the code that needs it to separate files, or behind"
    + " #if canImport"

  private static let liveResults =
    "other platforms have no SwiftUI, and @FetchRequest and its results are in the module DeclarativeCoreData: import"
    + " it where SwiftUI cannot be imported"
  private static let lock =
    "locking an object needs Objective-C: use a lock (NSLock, or Mutex of Synchronization)"

  // MARK: Classes

  private static func move(into type: String?, among classes: ManagedClasses) -> String {
    let advice = writingClass(type, among: classes)
    return "move it into the class" + (advice.map { "; \($0)" } ?? "")
  }

  /// Returns advice on getting a class that members can be added to; nil if the class is written by hand.
  static func writingClass(_ type: String?, among classes: ManagedClasses) -> String? {
    guard let type, classes.isManagedObject(type),
      !classes.isKnown(type) || classes.isGenerated(type)
    else { return nil }
    return (classes.isGenerated(type) ? "\(type) is generated: " : "if \(type) is generated, ")
      + "set the Codegen of its entity to Category/Extension in the model, and write"
      + " public class \(type): NSManagedObject {}"
  }

  // MARK: Modules

  static func ofModule(_ name: String) -> String? {
    switch name {
    case "Combine": combine
    case "os", "OSLog": nil
    case _ where ApplesModules.names.contains(name): "\(name) \(interface)(\(name))"
    default: nil
    }
  }

  // MARK: Attributes and types

  /// - Parameter haveThem: Whether the source imports DeclarativeCoreData, which has live results without SwiftUI.
  static func ofAttribute(_ node: AttributeSyntax, withLiveResults haveThem: Bool) -> String? {
    let name = node.attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? ""
    switch name {
    case "Published": return combine
    case "NSManaged" where node.isInCode:
      return "a class inside a function has no accessors: move the class out of the function"
    case "FetchRequest", "SectionedFetchRequest": return haveThem ? nil : liveResults
    case "Environment" where node.arguments?.description.contains("managedObjectContext") == true:
      return
        "@Environment belongs to SwiftUI: use NSManagedObjectContext.current of DeclarativeCoreData, or"
        + " an argument"
    case "ObservedObject", "StateObject", "Environment", "EnvironmentObject":
      return "@\(name) belongs to SwiftUI: outside of views, live results are FetchedResults"
    default: return nil
    }
  }

  static func ofName(_ name: String, withLiveResults haveThem: Bool) -> String? {
    switch name {
    case "ObservableObject", "AnyCancellable", "AnyPublisher", "PassthroughSubject",
      "CurrentValueSubject":
      combine
    case "objectWillChange":
      "other platforms have no Combine: managed objects are Observable and report their changes themselves; keep this"
        + " behind #if canImport(Combine)"
    case "FetchedResults", "SectionedFetchResults": haveThem ? nil : liveResults
    case "NSPersistentCloudKitContainer", "NSPersistentCloudKitContainerOptions":
      "other platforms have no CloudKit: use an NSPersistentContainer"
    case "NSException":
      "other platforms have no Objective-C exceptions: where Apple's Core Data raises one, this library throws an error or ends"
        + " the program"
    case "objc_sync_enter", "objc_sync_exit": lock
    case "object_getClass":
      "other platforms have no Objective-C runtime: use type(of:) to get the class of an object"
    case "class_copyPropertyList", "class_getProperty", "class_copyMethodList",
      "method_exchangeImplementations":
      "other platforms have no Objective-C runtime: get the properties from the entity (NSEntityDescription)"
    case "keyValueObservingExpectation", "XCTKVOExpectation":
      "other platforms have no key-value observing: expect a notification (expectation(forNotification:object:)), or"
        + " fulfill an expectation in the onChange of withObservationTracking"
    case "LocalizedStringResource":
      LocalizedText.advice
    case "NSFileCoordinator", "NSUbiquitousKeyValueStore":
      "\(name) exists on Apple's platforms only"
    default: nil
    }
  }
}

extension AttributeSyntax {
  /// Whether the declaration with the attribute is inside a function, a statement, a closure or an accessor.
  fileprivate var isInCode: Bool {
    ancestors.contains {
      $0.is(CodeBlockSyntax.self) || $0.is(ClosureExprSyntax.self)
        || $0.is(AccessorBlockSyntax.self) || $0.is(SwitchCaseSyntax.self)
    }
  }
}
