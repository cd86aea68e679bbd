/// A property whose value is the result of a fetch. The value is never stored, and is always an array.
///
/// ```swift
/// let peers = NSFetchedPropertyDescription()
/// peers.name = "peers"
/// let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
/// request.predicate = NSPredicate(format: "age == $FETCH_SOURCE.age")
/// peers.fetchRequest = request
/// ```
nonisolated open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  /// The fetch request that provides the value, as a template.
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

  /// The request that the program set or obtained. Later changes to it also change the property, until
  /// the property becomes immutable.
  package final var heldRequest: (any TemplateRequest)? { held?.request }

  /// Stores a request as the property's fetch. If there is a template, the request must be equivalent to it.
  package final func hold(_ request: any TemplateRequest) {
    willChange()
    held = HeldRequest(request, named: name)
  }

  /// Stores the template of the request in its current state.
  // The getter reads the request's current state, and the setter releases the request.
  final func settleFetch() { fetchTemplate = fetchTemplate }

  /// Creates a fetched property without a request.
  public override init() {
    super.init()
    isTransient = true
  }

  /// Returns a mutable copy that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchedPropertyDescription()
    copyState(to: copy)
    copy.fetchTemplate = fetchTemplate
    return copy
  }
}
