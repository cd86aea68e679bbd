/// A model with all its versions, of which one is current: what an `.xcdatamodeld`, a `.momd` or a JSON
/// file holds. A model without versions is one with a single version.
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

    /// A version.
    public init(name: String, model: NSManagedObjectModel) {
      self.name = name
      self.model = model
    }
  }

  /// The versions in the order of their names, or as they were given. Never empty.
  public let versions: [Version]

  /// The name of the current version, which is one of ``versions``.
  public let currentVersionName: String

  /// Whether files name the current version: they need not where it is the first of a folder.
  let saysWhichIsCurrent: Bool

  /// The current version's model.
  public var currentModel: NSManagedObjectModel {
    versions.first { $0.name == currentVersionName }?.model ?? NSManagedObjectModel()
  }

  /// A model of versions.
  ///
  /// - Parameters:
  ///   - versions: The versions.
  ///   - currentVersionName: The name of the current one; nil for the first.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 134060: there is no version, two have the
  ///   same name, a name cannot be a file's, or the current one is not among them.
  public init(versions: [Version], currentVersionName: String? = nil) throws {
    guard let firstVersion = versions.first else {
      throw ModelFileError.invalid(nil, "there is no version.")
    }
    var names: Set<String> = []
    for version in versions {
      guard Self.canBeFileName(version.name) else {
        throw ModelFileError.invalid(nil, "the version name '\(version.name)' is no file name.")
      }
      guard names.insert(version.name).inserted else {
        throw ModelFileError.invalid(nil, "the version '\(version.name)' is there twice.")
      }
    }
    let current = currentVersionName ?? firstVersion.name
    guard names.contains(current) else {
      throw ModelFileError.invalid(
        nil, "its current version '\(current)' is not among its versions.")
    }
    self.versions = versions
    self.currentVersionName = current
    let files = names.map { "\($0).xcdatamodel" }
    let first = files.min { $0.isBefore($1) }
    saysWhichIsCurrent =
      currentVersionName != nil || "\(current).xcdatamodel" != first
  }

  private static func canBeFileName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.contains("/") && !name.contains("\0")
  }
}
