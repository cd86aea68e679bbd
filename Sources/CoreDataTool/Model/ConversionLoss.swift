import CoreData
import StoreInspection

/// The parts of a model that a file format cannot hold.
enum ConversionLoss {
  /// Returns the losses as phrases. A phrase lists the versions that it concerns, unless it concerns all of them.
  static func losses(of model: VersionedModel, in format: ModelFileFormat) -> [String] {
    var losses: [String] = []
    var kept = model.versions
    if !format.keepsVersions, model.versions.count > 1 {
      kept = model.versions.filter { $0.name == model.currentVersionName }
      let others = model.versions.map(\.name).filter { $0 != model.currentVersionName }
      losses.append(
        "\(CountText.counted(others.count, "version")) (\(others.joined(separator: ", "))); "
          + "'.\(format.rawValue)' holds only the current version")
    }
    guard format == .mom || format == .momd else { return losses }
    // Versions usually lose the same things, so each set of losses is listed once.
    var groups: [(losses: [String], versions: [String])] = []
    for version in kept {
      let found = compiledLosses(version.model)
      if let index = groups.firstIndex(where: { $0.losses == found }) {
        groups[index].versions.append(version.name)
      } else if !found.isEmpty {
        groups.append((found, [version.name]))
      }
    }
    return losses
      + groups.map { found, versions in
        let place = versions.count == kept.count ? "" : " of \(versions.joined(separator: ", "))"
        return found.joined(separator: ", ") + place + "; compiled models cannot contain this"
      }
  }

  /// Returns the parts of a model that only source models hold.
  private static func compiledLosses(_ model: NSManagedObjectModel) -> [String] {
    var losses: [String] = []
    func note(_ loss: String, _ isThere: Bool) {
      if isThere { losses.append(loss) }
    }
    let entities = model.entities
    let properties = entities.flatMap(\.ownProperties)
    let attributes = properties.compactMap { $0 as? NSAttributeDescription }
    let document = model.document
    note("the positions of entities in the diagram", document?.cards.isEmpty == false)
    note(
      "the settings for CloudKit and SwiftData",
      document?.isUsedWithCloudKit == true || document?.isUsedWithSwiftData == true
        || model.configurationTable.contains(where: \.isUsedWithCloudKit))
    note("the settings for generated classes", entities.contains { $0.codeGenerationType != nil })
    note(
      "which attributes are scalars in generated classes",
      attributes.contains { $0.usesScalarValueType != nil })
    note(
      "which entities and properties do not sync",
      entities.contains { $0.isSyncable == false } || properties.contains { $0.isSyncable == false }
    )
    note("the settings for Spotlight", properties.contains(where: \.isIndexedBySpotlight))
    note(
      "the settings for external records", properties.contains(where: \.isStoredInExternalRecord))
    // Report only dates: the typed text of a number is just another spelling of the number, but a date may have been
    // typed in words.
    let dates = attributes.filter { $0.attributeType == .dateAttributeType }.map(\.editorTexts)
    note(
      "dates as they were typed in Xcode",
      dates.contains {
        $0.defaultValue?.text != nil || $0.minimum?.text != nil || $0.maximum?.text != nil
      })
    note("the names of composite types", !model.composites.isEmpty)
    note("parts of the source that were not understood", !model.unrecognized.isEmpty)
    return losses
  }
}
