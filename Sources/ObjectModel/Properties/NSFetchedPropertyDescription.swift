public import Foundation

/// A property whose value is the result of a fetch: never stored, always an array.
nonisolated open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  /// The fetch that gives the value, as the model holds it.
  package final var fetchTemplate: FetchRequestTemplate? {
    willSet { willChange() }
  }

  /// A fetched property without a fetch.
  public override init() {
    super.init()
    isTransient = true
  }

  /// A mutable copy that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchedPropertyDescription()
    copyState(to: copy)
    copy.fetchTemplate = fetchTemplate
    return copy
  }
}
