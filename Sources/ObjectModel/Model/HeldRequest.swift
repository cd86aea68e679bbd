/// A fetch request of the module above.
package protocol TemplateRequest: AnyObject {
  /// Returns the request as a model keeps it.
  func template(named name: String) -> FetchRequestTemplate
}

/// A fetch request that a program set or read in a model.
///
/// Its later changes count until the model is immutable.
struct HeldRequest {
  /// The program's request.
  let request: any TemplateRequest
  /// What the request said when it was held.
  private let original: FetchRequestTemplate

  /// Holds a request.
  init(_ request: any TemplateRequest, named name: String) {
    self.request = request
    original = request.template(named: name)
  }

  /// Returns what the request says now.
  ///
  /// - Parameter settled: the template that the request was made of. It is returned while the request is unchanged,
  ///   because a request says the same in other words.
  func template(named name: String, settled: FetchRequestTemplate?) -> FetchRequestTemplate {
    let present = request.template(named: name)
    guard let settled, present == original else { return present }
    return settled
  }
}
