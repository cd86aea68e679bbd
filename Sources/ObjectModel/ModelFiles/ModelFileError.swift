/// Creates errors about reading and writing model files.
///
/// Each is an `NSError` of `NSCocoaErrorDomain` whose `localizedDescription` states the file, the entity and the
/// property that the error concerns, if they are known.
enum ModelFileError {
  /// Returns the error for a file that does not exist.
  static func missing(_ url: URL) -> NSError {
    make(260, "There is no model file at \(url.path).", url)
  }

  /// Returns the error for a file that cannot be read because of a system error.
  static func unreadable(_ url: URL, _ reason: any Error) -> NSError {
    make(
      256, "The model file \(url.path) cannot be read: \(reason.localizedDescription)", url,
      reason: reason.localizedDescription)
  }

  /// Returns the error for a file that cannot be written because of a system error or of an item at the destination.
  static func unwritable(_ url: URL, _ reason: any Error) -> NSError {
    make(512, "The model file \(url.path) cannot be written: \(reason.localizedDescription)", url)
  }

  /// Returns the error for a file or folder that exists at the destination.
  static func exists(_ url: URL) -> NSError {
    make(516, "The model file \(url.path) is not written, because the file exists.", url)
  }

  /// Returns the error for a file whose extension is not that of a model format.
  static func unknownFormat(_ url: URL) -> NSError {
    let extensions = ModelFileFormat.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
    return make(
      514,
      "The model file \(url.path) has an unknown format. Use one of these extensions: \(extensions).",
      url)
  }

  /// Returns the error for a file in an invalid format.
  static func malformed(_ url: URL?, _ reason: String) -> NSError {
    make(259, "\(subject(url)) is damaged or not a model: \(reason)", url, reason: reason)
  }

  /// Returns the error for a model whose content is inconsistent or cannot be represented in a file's format.
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

  /// Whether the error concerns a model's file. Other errors with the same code (134060) may concern the use of a model
  /// or a store.
  package var isOfModelFile: Bool { userInfo[Self.modelFileKey] as? Bool == true }
}
