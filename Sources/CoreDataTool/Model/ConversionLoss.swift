import CoreData
import ObjectModel

/// What a model says that a form of files cannot hold.
enum ConversionLoss {
  /// The losses, each as a phrase that says what and of which version.
  static func losses(of model: VersionedModel, in form: ModelFileForm) -> [String] {
    var losses: [String] = []
    var kept = model.versions
    if !form.keepsVersions, model.versions.count > 1 {
      kept = model.versions.filter { $0.name == model.currentVersionName }
      let others = model.versions.map(\.name).filter { $0 != model.currentVersionName }
      losses.append(
        "\(CountText.counted(others.count, "version")) (\(others.joined(separator: ", "))); "
          + "'.\(form.rawValue)' holds the current one only")
    }
    guard form == .mom || form == .momd else { return losses }
    // Many versions mostly lose the same, which is told once.
    var places: [(loss: String, versions: [String])] = []
    for version in kept {
      for loss in compiledLosses(version.model) {
        if let index = places.firstIndex(where: { $0.loss == loss }) {
          places[index].versions.append(version.name)
        } else {
          places.append((loss, [version.name]))
        }
      }
    }
    return losses
      + places.map { loss, versions in
        kept.count == 1 || versions.count == kept.count
          ? loss : "\(loss) (\(versions.joined(separator: ", ")))"
      }
  }

  /// What only source models hold.
  private static func compiledLosses(_ model: NSManagedObjectModel) -> [String] {
    var losses: [String] = []
    if let document = model.document {
      if !document.cards.isEmpty { losses.append("the positions of the diagram") }
      if document.isUsedWithCloudKit { losses.append("that the model is used with CloudKit") }
      if document.isUsedWithSwiftData { losses.append("that the model is used with SwiftData") }
    }
    let entities = model.entities
    let properties = entities.flatMap(\.ownProperties)
    if entities.contains(where: { $0.codeGenerationType != nil }) {
      losses.append("how classes are generated")
    }
    let attributes = properties.compactMap { $0 as? NSAttributeDescription }
    if attributes.contains(where: { $0.usesScalarValueType != nil }) {
      losses.append("which attributes are scalars in generated code")
    }
    if !model.composites.isEmpty { losses.append("the names of composite types") }
    if !model.unrecognized.isEmpty {
      losses.append("what was not understood: \(model.unrecognized.joined(separator: "; "))")
    }
    return losses
  }
}
