public import Foundation

/// A fetch request of the module above.
package protocol TemplateRequest: AnyObject {
  /// The request as a model keeps it.
  func template(named name: String) -> FetchRequestTemplate
}

/// A property whose value is the result of a fetch: never stored, always an array.
nonisolated open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  /// The fetch that gives the value, as the model holds it.
  package final var fetchTemplate: FetchRequestTemplate? {
    get {
      guard let present = heldRequest?.template(named: name) else { return settledTemplate }
      // One that was only read says the same in other words.
      return present == unchangedTemplate ? settledTemplate : present
    }
    set {
      willChange()
      heldRequest = nil
      settledTemplate = newValue
    }
  }
  private final var settledTemplate: FetchRequestTemplate?

  /// The request that the program set or read, whose later changes count until the property is immutable.
  package private(set) final var heldRequest: (any TemplateRequest)?
  /// What the request was when it was made of the template; nil for one that the program set.
  private final var unchangedTemplate: FetchRequestTemplate?

  /// Keeps a request as the fetch, in place of the template unless it was made of it.
  package final func hold(_ request: any TemplateRequest, madeOfTemplate isMade: Bool) {
    willChange()
    heldRequest = request
    unchangedTemplate = isMade ? request.template(named: name) : nil
  }

  /// Keeps the fetch as it is now.
  final func settleFetch() { fetchTemplate = fetchTemplate }

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
