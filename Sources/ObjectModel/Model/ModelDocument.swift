/// The data in a source model file that does not describe entities.
package struct ModelDocument: Hashable, Sendable {
  /// The position and size of an entity in the editor's diagram, in points.
  package struct Card: Hashable, Sendable {
    /// The entity's name.
    package var entityName: String
    /// The numbers as written in the file: `positionX`, `positionY`, `width`, `height`.
    package var frame: [String: String]

    /// The names of the numbers, in the order of the file.
    static let sides = ["positionX", "positionY", "width", "height"]
  }

  /// The attributes of the file's root element, such as `sourceLanguage` and `usedWithCloudKit`.
  package var attributes: [String: String] = [:]
  /// The entities' positions and sizes in the diagram, in the order of the file.
  package var cards: [Card] = []
  /// The text of the source file from which the model was read; nil if there is none. Writing the model merges its
  /// changes into this text.
  package var source: Data?

  /// Whether the model is marked as used with CloudKit.
  package var isUsedWithCloudKit: Bool { attributes["usedWithCloudKit"] == "YES" }
  /// Whether the model is marked as used with SwiftData.
  package var isUsedWithSwiftData: Bool { attributes["usedWithSwiftData"] == "YES" }
}

/// The compiler of a compiled model, according to its file.
package struct ModelCompiler: Hashable, Sendable {
  /// The version of the compiler, such as 20086.
  package var toolVersion: Double?
  /// The version of Xcode, such as 130401 for 13.4.1.
  package var xcodeVersion: Int?
}
