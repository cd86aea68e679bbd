/// A form in which a model is written to files. The raw value is the file name extension.
public enum ModelFileForm: String, CaseIterable, Sendable {
  /// Xcode's source of a model with versions: a folder.
  case xcdatamodeld
  /// Xcode's source of one version: a folder.
  case xcdatamodel
  /// A compiled model with versions, as programs on Apple's platforms load it: a folder.
  case momd
  /// One compiled version: a file.
  case mom
  /// The readable form of this project: all versions in one file.
  case json

  /// The form that a file name asks for by its extension, in whatever case; nil for another one.
  public init?(of url: URL) {
    self.init(rawValue: url.pathExtension.lowercased())
  }

  /// Whether all versions of a model are kept, not only the current one.
  public var keepsVersions: Bool {
    switch self {
    case .xcdatamodeld, .momd, .json: true
    case .xcdatamodel, .mom: false
    }
  }
}
