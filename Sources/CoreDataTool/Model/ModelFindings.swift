import CoreData
import StoreInspection

/// The problems that a check of a model found.
struct ModelFindings {
  /// Problems that make the model unusable.
  private(set) var errors: [String] = []
  /// Things that are probably unintended.
  private(set) var warnings: [String] = []
  /// Parts of the file that were not understood.
  private(set) var notes: [String] = []

  init() {}

  /// Checks a version of a model. A version that cannot be read is an error.
  init(in files: ModelFiles, version: String?) {
    do {
      let model = try files.read(version).model
      for problem in model.problems {
        switch problem.severity {
        case .error: errors.append(problem.description)
        case .warning: warnings.append(problem.description)
        }
      }
      notes = model.unrecognized.map { "not understood: \($0)" }
    } catch {
      errors = [([error.message] + error.details).joined(separator: " ")]
    }
  }

  /// The findings, worst first, each with its severity.
  var lines: [(kind: String, text: String)] {
    errors.map { ("error: ", $0) } + warnings.map { ("warning: ", $0) }
      + notes.map { ("note: ", $0) }
  }

  /// Adds the findings of another check.
  mutating func add(_ other: ModelFindings) {
    errors += other.errors
    warnings += other.warnings
    notes += other.notes
  }

  /// Returns the numbers of errors, warnings and notes as one line of text.
  func summary(versions: Int) -> String {
    let place = versions == 1 ? "" : " in \(versions) versions"
    let parts = [(errors.count, "error"), (warnings.count, "warning"), (notes.count, "note")]
      .filter { $0.0 > 0 }.map { CountText.counted($0.0, $0.1) }
    return (parts.isEmpty ? "no problems" : parts.joined(separator: ", ")) + place
  }
}
