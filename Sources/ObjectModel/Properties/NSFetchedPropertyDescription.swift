/// A property whose value is the result of a fetch: never stored, always an array.
nonisolated open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  /// The fetch that gives the value, as the model holds it.
  package final var fetchTemplate: FetchRequestTemplate? {
    get {
      held.map { $0.template(named: name, settled: settledTemplate) } ?? settledTemplate
    }
    set {
      willChange()
      held = nil
      settledTemplate = newValue
    }
  }
  private final var settledTemplate: FetchRequestTemplate?
  private final var held: HeldRequest?

  /// The request that the program set or read, whose later changes count until the property is immutable.
  package final var heldRequest: (any TemplateRequest)? { held?.request }

  /// Keeps a request as the fetch. It says what the template says, where there is one.
  package final func hold(_ request: any TemplateRequest) {
    willChange()
    held = HeldRequest(request, named: name)
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
