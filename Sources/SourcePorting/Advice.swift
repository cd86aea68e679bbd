import SourceReading
import SwiftSyntax

/// What is not there beyond Apple's platforms, and what to do about it.
enum Advice {
  static let keyPath =
    "#keyPath is there with Objective-C only, and what begins with a capital letter may be a type as well"
    + " as a property: write the key as a text"
  static func keyOfApples(_ name: String) -> String {
    "#keyPath is there with Objective-C only, and what \(name) of Apple's class is called there is not"
      + " known: write the key as a text, mostly \"\(ApplesProperties.plain(name))\""
  }
  static let optionalRequirement =
    "optional requirements are there with Objective-C only: give the requirement a default"
    + " implementation in an extension of the protocol"
  static let attributeOfAccessor =
    "attributes of accessors cannot stand behind a condition: write the property once for each kind of platform,"
    + " with #if canImport(ObjectiveC)"
  static func overrideInExtension(of type: String?, among classes: ManagedClasses) -> String {
    "members are overridden in extensions with Objective-C only: "
      + move(into: type, among: classes)
  }
  static func requiredInExtension(of type: String?, among classes: ManagedClasses) -> String {
    "the initialiser is a required one beyond Apple's platforms, and those stand in their class, with the"
      + " word required: " + move(into: type, among: classes)
  }
  static let observing =
    "there is no key-value observing: managed objects are Observable (withObservationTracking), and"
    + " contexts post NSManagedObjectContextObjectsDidChange"
  static let combine =
    "there is no Combine: observe with AsyncSequence (NotificationCenter.notifications,"
    + " NSFetchedResultsController.reports) or Observation, or keep it behind #if canImport(Combine)"
  private static let interface =
    "is there on Apple's platforms only: keep what needs it in files of its own, or behind"
    + " #if canImport"

  private static let liveResults =
    "@FetchRequest and its results are there without SwiftUI in the module DeclarativeCoreData: import it"
    + " where SwiftUI cannot be"
  private static let lock =
    "there is no Objective-C to lock objects: keep a lock (NSLock, or Mutex of Synchronization)"

  // MARK: Classes

  private static func move(into type: String?, among classes: ManagedClasses) -> String {
    let advice = writingClass(type, among: classes)
    return "move it into the class" + (advice.map { "; \($0)" } ?? "")
  }

  /// What to do to have a class that members can be written into; nil for one that is written by hand.
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

  /// - Parameter haveThem: whether the source has live results without SwiftUI.
  static func ofAttribute(_ node: AttributeSyntax, withLiveResults haveThem: Bool) -> String? {
    let name = node.attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? ""
    switch name {
    case "Published": return combine
    case "NSManaged" where node.isInCode:
      return "there are no accessors for a class inside a function: move the class out"
    case "FetchRequest", "SectionedFetchRequest": return haveThem ? nil : liveResults
    case "Environment" where node.arguments?.description.contains("managedObjectContext") == true:
      return
        "@Environment is SwiftUI's: the context is NSManagedObjectContext.current of DeclarativeCoreData, or"
        + " an argument"
    case "ObservedObject", "StateObject", "Environment", "EnvironmentObject":
      return "@\(name) is SwiftUI's: live results beyond views are FetchedResults"
    default: return nil
    }
  }

  static func ofName(_ name: String, withLiveResults haveThem: Bool) -> String? {
    switch name {
    case "ObservableObject", "AnyCancellable", "AnyPublisher", "PassthroughSubject",
      "CurrentValueSubject":
      combine
    case "objectWillChange":
      "there is no Combine: managed objects are Observable, and tell of their changes themselves; keep it"
        + " behind #if canImport(Combine)"
    case "FetchedResults", "SectionedFetchResults": haveThem ? nil : liveResults
    case "NSPersistentCloudKitContainer", "NSPersistentCloudKitContainerOptions":
      "there is no CloudKit: make an NSPersistentContainer"
    case "NSException":
      "there are no Objective-C exceptions: what raises one with Apple's throws an error or ends the"
        + " program"
    case "objc_sync_enter", "objc_sync_exit": lock
    case "object_getClass":
      "there is no Objective-C runtime: type(of:) tells the class of an object"
    case "class_copyPropertyList", "class_getProperty", "class_copyMethodList",
      "method_exchangeImplementations":
      "there is no Objective-C runtime: an entity says its properties (NSEntityDescription)"
    case "keyValueObservingExpectation", "XCTKVOExpectation":
      "there is no key-value observing: expect a notification (expectation(forNotification:object:)), or"
        + " fulfil an expectation in the onChange of withObservationTracking"
    case "LocalizedStringResource":
      LocalizedText.advice
    case "NSFileCoordinator", "NSUbiquitousKeyValueStore":
      "\(name) is there on Apple's platforms only"
    default: nil
    }
  }
}

extension AttributeSyntax {
  /// Whether what has the attribute is declared inside a function, a closure or an accessor.
  fileprivate var isInCode: Bool {
    ancestors.contains {
      $0.is(CodeBlockSyntax.self) || $0.is(ClosureExprSyntax.self)
        || $0.is(AccessorBlockSyntax.self)
    }
  }
}
