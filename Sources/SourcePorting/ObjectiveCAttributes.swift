import SwiftSyntax

extension AttributeListSyntax.Element {
  /// Attributes that do not compile without Objective-C; similar ones such as `@nonobjc` do.
  private static let unportable: Set<String> = ["objc", "objcMembers", "IBOutlet"]

  var needsObjectiveC: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return Self.unportable.contains(attribute.attributeName.trimmedDescription)
  }
}
