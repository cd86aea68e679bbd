import Foundation
import ObjectModel

/// A target's source model, which has been read and is valid.
struct SourceModel {
  let url: URL
  /// The file name without its extension.
  let name: String
  let versions: VersionedModel
  /// Warnings about the current version, in the format of compilers.
  let warnings: [String]

  /// Reads a model.
  ///
  /// - Throws: ``SourceErrors`` with the one error that prevents reading, or else with all errors in all versions.
  init(at path: String) throws {
    url = URL(fileURLWithPath: path)
    name = url.deletingPathExtension().lastPathComponent
    do {
      versions = try VersionedModel(contentsOf: url)
    } catch let error as NSError {
      throw SourceErrors(list: [Self.diagnostic(for: error, path)])
    }
    var errors: [SourceDiagnostic] = []
    var warnings: [String] = []
    for version in versions.versions {
      let text = ModelText(of: version.name, in: url)
      for problem in version.model.problems {
        let place = text.location(entity: problem.entityName, property: problem.propertyName)
        let found = SourceDiagnostic(location: place, message: "\(problem)")
        if problem.severity == .error {
          errors.append(found)
        } else if version.name == versions.currentVersionName {
          warnings.append(found.description.replacing(": error: ", with: ": warning: "))
        }
      }
    }
    guard errors.isEmpty else { throw SourceErrors(list: errors) }
    self.warnings = warnings
  }

  /// Converts an error of the model reader, and adds the line of the error's entity or property.
  private static func diagnostic(for error: NSError, _ path: String) -> SourceDiagnostic {
    let file = error.userInfo[NSFilePathErrorKey] as? String ?? path
    guard let entity = error.userInfo["entity"] as? String else {
      return SourceDiagnostic(location: .init(file: file), message: error.localizedDescription)
    }
    let property = error.userInfo["property"] as? String
    let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
    // The description begins with the entity or property, which the diagnostic contains already.
    let text = error.localizedDescription
    let place = "'\(property ?? entity)': "
    let reason = text.range(of: place).map { String(text[$0.upperBound...]) } ?? text
    return SourceDiagnostic(
      location: ModelText(file: file).location(entity: entity, property: property),
      message: "\(subject): \(reason)")
  }

  /// The entities of the current version, for which code is generated.
  var entities: [NSEntityDescription] { versions.currentModel.entities }

  var text: ModelText { ModelText(of: versions.currentVersionName, in: url) }

  /// The extension of the compiled model.
  var compiledExtension: String {
    ModelFileFormat(of: url) == .xcdatamodel ? "mom" : "momd"
  }
}

/// The text of one version of a model, to find the lines of errors.
struct ModelText {
  private let file: String
  private let lines: [Substring]

  init(of version: String, in model: URL) {
    var folder = model
    if model.pathExtension.lowercased() == "xcdatamodeld" {
      folder.appendPathComponent("\(version).xcdatamodel")
    }
    let contents = folder.appendingPathComponent("contents")
    let isThere = FileManager.default.fileExists(atPath: contents.path)
    self.init(file: isThere ? contents.path : model.path)
  }

  init(file: String) {
    self.file = file
    let data = try? Data(contentsOf: URL(fileURLWithPath: file))
    let text = data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    // Undo XML's escapes, because `location` searches for unescaped names.
    let characters = [
      // The ampersand comes last, because `&amp;lt;` stands for `&lt;`.
      ("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"),
    ]
    lines = characters.reduce(text) { $0.replacing($1.0, with: $1.1) }.split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  /// Returns the location of an entity or of one of its properties: the entity's line if it has no such property, and
  /// the file if there is no such entity.
  func location(entity: String?, property: String?) -> SourceDiagnostic.Location {
    guard let entity,
      let start = lines.firstIndex(where: { $0.contains("<entity name=\"\(entity)\"") })
    else { return .init(file: file) }
    guard let property else { return .init(file: file, line: start + 1, column: 1) }
    // Other entities may have a property with the same name.
    let rest = lines[(start + 1)...].prefix { !$0.contains("<entity ") }
    let line = rest.firstIndex { $0.contains(" name=\"\(property)\"") } ?? start
    return .init(file: file, line: line + 1, column: 1)
  }
}
