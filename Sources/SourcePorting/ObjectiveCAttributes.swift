import SwiftSyntax

extension AttributeListSyntax.Element {
  /// Attributes that are errors without Objective-C; others that sound like it, such as `@nonobjc`, are not.
  private static let unportable: Set<String> = ["objc", "objcMembers", "IBOutlet"]

  var needsObjectiveC: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return Self.unportable.contains(attribute.attributeName.trimmedDescription)
  }
}
