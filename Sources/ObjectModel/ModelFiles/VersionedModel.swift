/// A model with all its versions, one of which is current: the content of an `.xcdatamodeld`, a `.momd` or a JSON
/// file. A model without versions is represented by a single version.
///
/// ```swift
/// let model = try VersionedModel(contentsOf: URL(fileURLWithPath: "Contacts.xcdatamodeld"))
/// try model.write(to: URL(fileURLWithPath: "Contacts.momd"))
/// ```
public struct VersionedModel: Sendable {
  /// One version of a model.
  public struct Version: Sendable {
    /// The version's name, such as `Model 2`: a file name without an extension.
    public let name: String
    /// The version itself.
    public let model: NSManagedObjectModel

    /// Creates a version.
    public init(name: String, model: NSManagedObjectModel) {
      self.name = name
      self.model = model
    }
  }

  /// The versions. Those of a folder are sorted by name; others have the order of the JSON file or of the initializer's
  /// argument. Never empty.
  public let versions: [Version]

  /// The name of the current version, which is one of ``versions``.
  public let currentVersionName: String

  /// Whether written source and JSON files state the current version. This is not necessary if it is the first one in
  /// the folder. The `VersionInfo.plist` of a compiled model always states it.
  let statesCurrentVersion: Bool

  /// The current version's model.
  public var currentModel: NSManagedObjectModel {
    versions.first { $0.name == currentVersionName }?.model ?? NSManagedObjectModel()
  }

  /// Creates a model from versions.
  ///
  /// - Parameters:
  ///   - versions: The versions.
  ///   - currentVersionName: The name of the current version; nil for the first.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 134060, if there is no version, two have the
  ///   same name, a name is not a valid file name, or the current version is not among them.
  ///
  /// ```swift
  /// let version2 = model.copy() as? NSManagedObjectModel ?? model
  /// let contacts = try VersionedModel(
  ///   versions: [
  ///     VersionedModel.Version(name: "Contacts", model: model),
  ///     VersionedModel.Version(name: "Contacts 2", model: version2),
  ///   ], currentVersionName: "Contacts 2")
  /// print(contacts.currentModel === version2)  // true
  /// ```
  public init(versions: [Version], currentVersionName: String? = nil) throws {
    guard let firstVersion = versions.first else {
      throw ModelFileError.invalid(nil, "it has no version.")
    }
    var names: Set<String> = []
    for version in versions {
      guard Self.canBeFileName(version.name) else {
        throw ModelFileError.invalid(
          nil, "the version name '\(version.name)' is not a valid file name.")
      }
      guard names.insert(version.name).inserted else {
        throw ModelFileError.invalid(nil, "the version '\(version.name)' occurs twice.")
      }
    }
    let current = currentVersionName ?? firstVersion.name
    guard names.contains(current) else {
      throw ModelFileError.invalid(
        nil, "its current version '\(current)' is not among its versions.")
    }
    self.versions = versions
    self.currentVersionName = current
    // The first version is determined by the file names, because the extension changes the order:
    // `Model 2.xcdatamodel` precedes `Model.xcdatamodel`, but `Model` precedes `Model 2`.
    let files = names.map { "\($0).xcdatamodel" }
    let first = files.min { $0.isBefore($1) }
    statesCurrentVersion =
      currentVersionName != nil || "\(current).xcdatamodel" != first
  }

  private static func canBeFileName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.contains("/") && !name.contains("\0")
  }
}
