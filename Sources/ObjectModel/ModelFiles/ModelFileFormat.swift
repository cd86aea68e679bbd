/// A format of model files. The raw value is the file name extension.
///
/// ```swift
/// let format = ModelFileFormat(of: URL(fileURLWithPath: "Contacts.xcdatamodeld"))
/// print(format?.keepsVersions ?? false)  // true
/// ```
public enum ModelFileFormat: String, CaseIterable, Sendable {
  /// Xcode's source of a model with versions: a folder.
  case xcdatamodeld
  /// Xcode's source of one version: a folder.
  case xcdatamodel
  /// A compiled model with versions, as programs on Apple's platforms load it: a folder.
  case momd
  /// One compiled version: a file.
  case mom
  /// The readable format of this project: all versions in one file.
  case json

  /// Creates the format for a file name's extension, in upper or lower case; nil for an unknown extension.
  public init?(of url: URL) {
    self.init(rawValue: url.pathExtension.lowercased())
  }

  /// Whether the format stores all versions of a model instead of only the current one.
  public var keepsVersions: Bool {
    switch self {
    case .xcdatamodeld, .momd, .json: true
    case .xcdatamodel, .mom: false
    }
  }
}

/// The former name of ``ModelFileFormat``.
@available(*, deprecated, renamed: "ModelFileFormat")
public typealias ModelFileForm = ModelFileFormat
