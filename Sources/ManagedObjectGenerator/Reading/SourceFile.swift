import Foundation
import SwiftParser
import SwiftSyntax

/// A parsed Swift source file of a module.
final class SourceFile {
  let path: String
  let module: String
  let tree: SourceFileSyntax
  /// The part of private declarations' symbols that identifies the file.
  let discriminator: String
  /// Whether the text contains `@NSManaged`.
  let mentionsManaged: Bool
  // Lazy, because only errors need locations, and the converter reads the whole text.
  private lazy var converter = SourceLocationConverter(fileName: path, tree: tree)

  init(path: String, module: String, text: String) {
    self.path = path
    self.module = module
    tree = Parser.parse(source: text)
    mentionsManaged = text.contains("@NSManaged")
    discriminator = FileDiscriminator.of(file: path, in: module)
  }

  /// - Throws: ``SourceDiagnostic`` for a file that cannot be read.
  convenience init(contentsOf path: String, module: String) throws {
    do {
      let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
      self.init(path: path, module: module, text: text)
    } catch {
      throw SourceDiagnostic(
        location: .init(file: path), message: "cannot be read: \(error.localizedDescription)")
    }
  }

  /// Returns the location of a node, without the comments or spaces before it.
  func location(of node: some SyntaxProtocol) -> SourceDiagnostic.Location {
    let place = node.startLocation(converter: converter)
    return .init(file: path, line: place.line, column: place.column)
  }
}
