/// Makes the errors of reading and writing model files.
///
/// Each is an `NSError` of `NSCocoaErrorDomain` whose `localizedDescription` names the file, and the
/// entity and property where there is one.
enum ModelFileError {
  /// The file is not there.
  static func missing(_ url: URL) -> NSError {
    make(260, "There is no model file at \(url.path).", url)
  }

  /// The file cannot be read, for a reason of the system.
  static func unreadable(_ url: URL, _ reason: any Error) -> NSError {
    make(
      256, "The model file \(url.path) cannot be read: \(reason.localizedDescription)", url,
      reason: reason.localizedDescription)
  }

  /// The file cannot be written, for a reason of the system.
  static func unwritable(_ url: URL, _ reason: any Error) -> NSError {
    make(512, "The model file \(url.path) cannot be written: \(reason.localizedDescription)", url)
  }

  /// Something is where the file is to be written.
  static func exists(_ url: URL) -> NSError {
    make(516, "The model file \(url.path) is not written: something of this name is there.", url)
  }

  /// The file name's extension names no form of models.
  static func unknownForm(_ url: URL) -> NSError {
    let forms = ModelFileForm.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
    return make(
      514, "The model file \(url.path) has no form: its extension is none of \(forms).", url)
  }

  /// The file's form is broken.
  static func malformed(_ url: URL?, _ reason: String) -> NSError {
    make(259, "\(subject(url)) is damaged or is no model: \(reason)", url, reason: reason)
  }

  /// The file's form is right and what it says is not.
  static func invalid(
    _ url: URL?, entity: String? = nil, property: String? = nil, _ reason: String
  ) -> NSError {
    var place = ""
    switch (entity, property) {
    case (let entity?, let property?): place = ", entity '\(entity)', property '\(property)'"
    case (let entity?, nil): place = ", entity '\(entity)'"
    default: break
    }
    return make(
      134060, "\(subject(url))\(place): \(reason)", url, reason: reason, entity: entity,
      property: property)
  }

  private static func subject(_ url: URL?) -> String {
    guard let url else { return "The model" }
    return "The model \(url.path)"
  }

  private static func make(
    _ code: Int, _ text: String, _ url: URL?, reason: String? = nil, entity: String? = nil,
    property: String? = nil
  ) -> NSError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: text]
    info[NSFilePathErrorKey] = url?.path
    info[NSLocalizedFailureReasonErrorKey] = reason
    info["entity"] = entity
    info["property"] = property
    info[NSError.modelFileKey] = true
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
  }
}

extension NSError {
  fileprivate static let modelFileKey = "OpenCoreDataModelFile"

  /// Whether the error is about the file of a model, and not about what a caller asks of a model or a store, which
  /// errors of the same code (134060) may be.
  package var isOfModelFile: Bool { userInfo[Self.modelFileKey] as? Bool == true }
}
