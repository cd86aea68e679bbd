/// What a source model file says about itself rather than about the entities.
package struct ModelDocument: Hashable, Sendable {
  /// The place of an entity's card in the editor's diagram, in points.
  package struct Card: Hashable, Sendable {
    /// The entity's name.
    package var entityName: String
    /// The file's numbers, as written: `positionX`, `positionY`, `width`, `height`.
    package var frame: [String: String]

    /// The names of the numbers, in the order of the file.
    static let sides = ["positionX", "positionY", "width", "height"]
  }

  /// The attributes of the file's root element, such as `sourceLanguage` and `usedWithCloudKit`.
  package var attributes: [String: String] = [:]
  /// The diagram's cards, in the order of the file.
  package var cards: [Card] = []
  /// The file's text as it was read, into which changes are written; nil where there is none.
  package var source: Data?

  /// Whether the editor marks the model as mirrored to the cloud.
  package var isUsedWithCloudKit: Bool { attributes["usedWithCloudKit"] == "YES" }
  /// Whether the editor marks the model as shared with SwiftData.
  package var isUsedWithSwiftData: Bool { attributes["usedWithSwiftData"] == "YES" }
}

/// Which compiler made a compiled model, as its file says.
package struct ModelCompiler: Hashable, Sendable {
  /// The version of the compiler, such as 20086.
  package var toolVersion: Double?
  /// The version of Xcode, such as 130401 for 13.4.1.
  package var xcodeVersion: Int?
}
