import SourceReading
import SwiftSyntax

/// What is not there beyond Apple's platforms, and what to do about it.
enum Advice {
  static let keyPath = "#keyPath is there with Objective-C only: write the key as a text"
  static let optionalRequirement =
    "optional requirements are there with Objective-C only: give the requirement a default"
    + " implementation in an extension of the protocol"
  static let requestCast =
    "a request is no request of another type in Swift: NSFetchRequest<Person>(casting: request)"
  static let overrideInExtension =
    "members are overridden in extensions with Objective-C only: move it into the class"
  private static let observing =
    "there is no key-value observing: managed objects are Observable (withObservationTracking), and"
    + " contexts post NSManagedObjectContextObjectsDidChange"
  private static let combine =
    "there is no Combine: observe with AsyncSequence (NotificationCenter.notifications,"
    + " NSFetchedResultsController.reports) or Observation, or keep it behind #if canImport(Combine)"
  private static let interface =
    "is there on Apple's platforms only: keep what needs it in files of its own, or behind"
    + " #if canImport"

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

  static func ofAttribute(_ name: String) -> String? {
    switch name {
    case "Published": combine
    case "ObservedObject", "StateObject", "Environment", "EnvironmentObject":
      "@\(name) is SwiftUI's: live results beyond views are FetchedResults"
    default: nil
    }
  }

  static func ofName(_ name: String) -> String? {
    switch name {
    case "ObservableObject", "AnyCancellable", "AnyPublisher", "PassthroughSubject",
      "CurrentValueSubject":
      combine
    case "NSPersistentCloudKitContainer", "NSPersistentCloudKitContainerOptions":
      "there is no CloudKit: make an NSPersistentContainer"
    case "NSException":
      "there are no Objective-C exceptions: what raises one with Apple's throws an error or ends the"
        + " program"
    case "objc_getAssociatedObject", "objc_setAssociatedObject":
      "objects have no associated objects: keep the value in a property, or a dictionary by"
        + " ObjectIdentifier"
    case "class_copyPropertyList", "class_getProperty", "class_copyMethodList",
      "method_exchangeImplementations":
      "there is no Objective-C runtime: an entity says its properties (NSEntityDescription)"
    case "NSFileCoordinator", "NSUbiquitousKeyValueStore":
      "\(name) is there on Apple's platforms only"
    default: nil
    }
  }

  // MARK: Calls

  static func ofCall(_ call: FunctionCallExprSyntax) -> String? {
    let labels = call.arguments.map { $0.label?.text }
    switch call.calledName?.trimmedDescription {
    case "observe" where call.arguments.first?.expression.is(KeyPathExprSyntax.self) == true:
      // The one value that can be observed like this.
      let isKnown =
        call.arguments.first?.expression.trimmedDescription.hasSuffix(".migrationProgress") == true
      return isKnown ? nil : observing
    case "addObserver" where labels.contains("forKeyPath"),
      "removeObserver" where labels.contains("forKeyPath"):
      return observing
    case "publisher" where labels.first == "for": return combine
    case "addTarget" where labels.contains("action"): return targetAction
    default: return nil
    }
  }

  private static let targetAction =
    "there are no messages by selector: give a closure in the place of target and action"

  /// What to do about a selector that is no comparison's, by who gets it.
  static func ofSelector(in node: MacroExpansionExprSyntax) -> String {
    let argument = node.parent?.as(LabeledExprSyntax.self)
    let call = argument?.parent?.parent?.as(FunctionCallExprSyntax.self)
    return switch call?.calledName?.trimmedDescription {
    case "addObserver":
      "there are no messages by selector: observe with"
        + " addObserver(forName:object:queue:using:), and keep what it returns"
    case "NSSortDescriptor":
      "stores sort by compare:, caseInsensitiveCompare:, localizedCompare:,"
        + " localizedCaseInsensitiveCompare: and localizedStandardCompare:; sort what was fetched by a"
        + " comparator of your own"
    default: targetAction
    }
  }

  // MARK: Methods

  static func ofMethod(_ method: FunctionDeclSyntax) -> String? {
    let name = method.name.text
    let parameters = method.signature.parameterClause.parameters
    if name == "observeValue", parameters.first?.firstName.text == "forKeyPath" { return observing }
    if name.hasPrefix("validate"), name != "validate", parameters.count == 1,
      parameters.first?.type.trimmedDescription.hasPrefix("AutoreleasingUnsafeMutablePointer")
        == true
    {
      return "methods are not found by name: call it from an override of validateValue(_:forKey:)"
    }
    if name.hasPrefix("keyPathsForValuesAffecting") {
      return
        "methods are not found by name, and keys are not observed: read the properties that the"
        + " value depends on inside withObservationTracking"
    }
    return nil
  }
}
