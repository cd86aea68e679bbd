extension VersionedModel {
  /// Writes the model in the form that the place's extension asks for: `xcdatamodeld`, `xcdatamodel`,
  /// `momd`, `mom` or `json`.
  ///
  /// A form that keeps one version gets the current one. What is written replaces what was there as a
  /// whole: whoever reads meanwhile, or after a crash, finds the old model or the new one.
  ///
  /// - Parameters:
  ///   - url: A place in a folder that exists.
  ///   - replacingExisting: Whether a model that is already there is replaced. A source model that is
  ///     replaced keeps the files and links in its folder that are no versions.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` that names the file, and the entity and property
  ///   where there is one: 514 for an extension that names no form, 516 where something is there and
  ///   is not to be replaced, 134060 for something in the model that the form cannot hold, 512 where
  ///   the system refuses, and where the model that is replaced has a link in the place of a version's
  ///   folder, or a pipe or a device among the files that it keeps. Nothing is written then.
  public func write(to url: URL, replacingExisting: Bool = false) throws {
    guard let form = ModelFileForm(of: url) else { throw ModelFileError.unknownForm(url) }
    let files = try files(as: form, for: url)
    switch form {
    case .mom, .json:
      try WholeFiles.write(files[""] ?? Data(), to: url, replacingExisting: replacingExisting)
    case .momd:
      try WholeFiles.write(folder: files, to: url, replacingExisting: replacingExisting) { _ in
        false
      }
    case .xcdatamodel, .xcdatamodeld:
      let own = Set(files.keys)
      try WholeFiles.write(folder: files, to: url, replacingExisting: replacingExisting) { path in
        Self.isBystander(path, in: form, own: own)
      }
    }
  }

  /// Whether a file of a source model that is replaced stays: one that is neither of a version that is
  /// gone nor a version's old text. A link with a version's name is a version.
  private static func isBystander(
    _ path: String, in form: ModelFileForm, own: Set<String>
  ) -> Bool {
    var parts = path.split(separator: "/").map(String.init)
    if form == .xcdatamodeld, parts[0].hasSuffix(".xcdatamodel") {
      guard parts.count > 1, own.contains("\(parts[0])/contents") else { return false }
      parts.removeFirst()
    }
    return !["contents", "elements", "layout", ModelFile.currentVersionPointer].contains(parts[0])
  }

  /// The files of the model by their paths in its folder; under the empty path for a single file.
  func files(as form: ModelFileForm, for url: URL) throws -> [String: Data] {
    switch form {
    case .xcdatamodel: return ["contents": try ContentsWriter.write(currentModel, to: url)]
    case .mom: return ["": try CompiledModel.data(of: currentModel, for: url)]
    case .json: return ["": try ModelJSON.data(of: self, for: url)]
    case .xcdatamodeld:
      var files: [String: Data] = [:]
      for version in versions {
        files["\(version.name).xcdatamodel/contents"] = try ContentsWriter.write(
          version.model, to: url)
      }
      if saysWhichIsCurrent {
        files[ModelFile.currentVersionPointer] = try Self.pointer(
          to: "\(currentVersionName).xcdatamodel")
      }
      return files
    case .momd:
      var files = [VersionInfo.fileName: VersionInfo(self).data()]
      for version in versions {
        files["\(version.name).mom"] = try CompiledModel.data(of: version.model, for: url)
      }
      return files
    }
  }

  /// The file that names the current version, as Xcode writes it.
  private static func pointer(to name: String) throws -> Data {
    try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": name], format: .xml, options: 0)
  }
}

extension NSManagedObjectModel {
  /// Writes the model in the form that the place's extension asks for, as the only version; see
  /// ``VersionedModel/write(to:replacingExisting:)``.
  ///
  /// A model that was read from a source file is written into the text that was read: what did not
  /// change stays as it is.
  ///
  /// - Throws: As ``VersionedModel/write(to:replacingExisting:)``.
  public final func write(to url: URL, replacingExisting: Bool = false) throws {
    let name = url.deletingPathExtension().lastPathComponent
    let model = try VersionedModel(versions: [VersionedModel.Version(name: name, model: self)])
    try model.write(to: url, replacingExisting: replacingExisting)
  }
}
