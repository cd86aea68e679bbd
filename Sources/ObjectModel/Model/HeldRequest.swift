/// A fetch request. Its class is in the module CoreData, above this one.
package protocol TemplateRequest: AnyObject {
  /// Returns the request as a template for a model.
  func template(named name: String) -> FetchRequestTemplate
}

/// A fetch request that a program set in a model or obtained from it.
///
/// Later changes to the request also change the model, until the model becomes immutable.
struct HeldRequest {
  /// The program's request.
  let request: any TemplateRequest
  /// The request's template when it was set or obtained.
  private let original: FetchRequestTemplate

  /// Stores a request.
  init(_ request: any TemplateRequest, named name: String) {
    self.request = request
    original = request.template(named: name)
  }

  /// Returns the template of the request in its current state.
  ///
  /// - Parameter settled: The template from which the request was created. It is returned if the request is unchanged,
  ///   because the request's own template may spell the same content differently.
  func template(named name: String, settled: FetchRequestTemplate?) -> FetchRequestTemplate {
    let present = request.template(named: name)
    guard let settled, present == original else { return present }
    return settled
  }
}
