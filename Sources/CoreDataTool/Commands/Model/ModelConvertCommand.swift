import ArgumentParser
import CoreData
import StoreInspection

/// `coredata model convert`: converts a model to another format.
struct ModelConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Converts a model to the format given by the output's extension.",
    discussion: """
      Xcode edits .xcdatamodeld and .xcdatamodel; programs on Apple's platforms load .momd and .mom; .json is \
      for reading and for tools. If the format holds versions, all versions are converted. The command \
      lists what the format cannot hold. A mapping model (.xcmappingmodel) is compiled to .cdm.

        coredata model convert V1toV2.xcmappingmodel V1toV2.cdm
        coredata model convert Model.xcdatamodeld Model.momd
        coredata model convert Contacts.sqlite Contacts.xcdatamodeld
      """
  )

  @Argument(
    help: """
      The model: .xcdatamodeld, .xcdatamodel, .momd, .mom, .json, or a store; or a mapping model: \
      .xcmappingmodel or .cdm.
      """,
    completion: .file())
  var input: String

  @Argument(help: "Output file: .xcdatamodeld, .xcdatamodel, .momd, .mom, .json or .cdm.")
  var output: String

  @Option(help: ArgumentHelp("Convert only this version.", valueName: "name"))
  var version: String?

  @Flag(help: "Replace an existing file.")
  var force = false

  @OptionGroup var links: LinkArguments
  @OptionGroup var readOnly: ReadOnlyOptions

  func run() throws { try readOnly.apply(convert) }

  private func convert() throws {
    let url = URL(fileURLWithPath: try links.place(output))
    if url.pathExtension.lowercased() == "cdm" { return try convertMapping(to: url) }
    guard let format = ModelFileFormat(of: url) else {
      let known = ModelFileFormat.allCases.map { "." + $0.rawValue }.joined(separator: ", ")
      throw Diagnostic(
        .usage, "the extension of '\(output)' is not a model format",
        details: ["Use one of: \(known); for a mapping model .cdm"])
    }
    // Check the output before the input is read, so that refusing it takes no time.
    try links.requireFree(output, orReplacing: force)
    let files = try ModelFiles(at: input)
    let model = try versionedModel(files, as: url)
    for loss in ConversionLoss.losses(of: model, in: format) {
      Console.current.note("left out: \(loss.onOneLine)\n")
    }
    try reportingStoreErrors { try model.write(to: url, replacingExisting: force) }
    var versions = ""
    if model.versions.count > 1 {
      versions =
        format.keepsVersions
        ? ", \(model.versions.count) versions" : ", version \(model.currentVersionName)"
    }
    let entities = CountText.counted(
      model.currentModel.entities.count, "entity", plural: "entities")
    Console.current.output("\(output): \(entities)\(versions)".onOneLine + "\n")
  }

  private func convertMapping(to url: URL) throws {
    guard version == nil else {
      throw Diagnostic(.usage, "--version '\(version ?? "")': mapping models have no versions")
    }
    try links.requireFree(output, orReplacing: force)
    let mapping = try reportingStoreErrors {
      let mapping = try NSMappingModel(validating: URL(fileURLWithPath: input)) {
        Console.current.note("note: \($0.onOneLine)\n")
      }
      try mapping.write(to: url, replacingExisting: force)
      return mapping
    }
    let count = CountText.counted(mapping.entityMappings.count, "mapping", plural: "mappings")
    Console.current.output("\(output): \(count)".onOneLine + "\n")
  }

  /// Returns all versions of the input, or the one that `--version` selects.
  private func versionedModel(_ files: ModelFiles, as url: URL) throws -> VersionedModel {
    let names: [String?] =
      version == nil && !files.versions.isEmpty ? files.versions : [version]
    var versions: [VersionedModel.Version] = []
    for name in names {
      let loaded = try files.load(version: name)
      // A model without versions is named after its new file.
      let title = loaded.version ?? url.deletingPathExtension().lastPathComponent
      versions.append(VersionedModel.Version(name: title, model: loaded.model))
    }
    return try reportingStoreErrors {
      try VersionedModel(
        versions: versions, currentVersionName: version == nil ? files.currentVersion : nil)
    }
  }
}
