extension VersionedModel {
  /// Writes the model in the format of the URL's extension: `xcdatamodeld`, `xcdatamodel`,
  /// `momd`, `mom` or `json`.
  ///
  /// If the format stores only one version, the current one is written. On Linux, a replacement is atomic: another
  /// process that reads the model, even after a crash, finds either the old or the new model. On other platforms, and
  /// on file systems that cannot exchange two names, there is no model at the URL for a moment.
  ///
  /// - Parameters:
  ///   - url: A location in an existing folder.
  ///   - replacingExisting: Whether to replace an existing model. Replacing a source model preserves the files and
  ///     links in its folder that do not belong to the format, except for those in removed versions.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` that identifies the file, and the entity and property if there is
  ///   one. Nothing is written in these cases:
  ///   - 514: The extension is unknown.
  ///   - 516: The file exists and `replacingExisting` is `false`, or the format requires a file and a folder exists, or
  ///     the reverse.
  ///   - 134060: The format cannot represent a part of the model.
  ///   - 512: A system error occurred, or the replaced model has a link or a file in place of a version's folder, or
  ///     has a pipe, socket or device among the files to preserve.
  ///
  /// ```swift
  /// let contacts = try VersionedModel(contentsOf: URL(fileURLWithPath: "Contacts.xcdatamodeld"))
  /// try contacts.write(to: URL(fileURLWithPath: "Contacts.json"), replacingExisting: true)
  /// ```
  public func write(to url: URL, replacingExisting: Bool = false) throws {
    guard let format = ModelFileFormat(of: url) else { throw ModelFileError.unknownFormat(url) }
    // All content is created before the first file is written, so that an error leaves the disk unchanged.
    let files = try files(as: format, for: url)
    switch format {
    case .mom, .json:
      try WholeFiles.write(files[""] ?? Data(), to: url, replacingExisting: replacingExisting)
    case .momd:
      try WholeFiles.write(folder: files, to: url, replacingExisting: replacingExisting) { _ in
        false
      }
    case .xcdatamodel, .xcdatamodeld:
      let own = Set(files.keys)
      try WholeFiles.write(folder: files, to: url, replacingExisting: replacingExisting) { path in
        Self.isPreserved(path, in: format, own: own)
      }
    }
  }

  /// Returns whether to preserve a file of a replaced source model. Files of removed versions, the content and layout
  /// files of the remaining versions, and the file that states the current version are not preserved. A link with a
  /// version's name counts as a version.
  private static func isPreserved(
    _ path: String, in format: ModelFileFormat, own: Set<String>
  ) -> Bool {
    var parts = path.split(separator: "/").map(String.init)
    if format == .xcdatamodeld, parts[0].hasSuffix(".xcdatamodel") {
      guard parts.count > 1, own.contains("\(parts[0])/contents") else { return false }
      parts.removeFirst()
    }
    return !["contents", "elements", "layout", ModelFile.currentVersionPointer].contains(parts[0])
  }

  /// Returns the files of the model by their paths in its folder; a single file has the empty path.
  func files(as format: ModelFileFormat, for url: URL) throws -> [String: Data] {
    switch format {
    case .xcdatamodel: return ["contents": try ContentsWriter.write(currentModel, to: url)]
    case .mom: return ["": try CompiledModel.data(of: currentModel, for: url)]
    case .json: return ["": try ModelJSON.data(of: self, for: url)]
    case .xcdatamodeld:
      var files: [String: Data] = [:]
      for version in versions {
        files["\(version.name).xcdatamodel/contents"] = try ContentsWriter.write(
          version.model, to: url)
      }
      if statesCurrentVersion {
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

  /// Returns the content of the file that identifies the current version, in Xcode's format.
  private static func pointer(to name: String) throws -> Data {
    try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": name], format: .xml, options: 0)
  }
}

extension NSManagedObjectModel {
  /// Writes the model as the only version, in the format of the URL's extension; see
  /// ``VersionedModel/write(to:replacingExisting:)``.
  ///
  /// If the model was read from a source file and is written as a source, its changes are merged into that file's text,
  /// so that unchanged parts stay the same.
  ///
  /// - Throws: The errors of ``VersionedModel/write(to:replacingExisting:)``.
  ///
  /// ```swift
  /// try model.write(to: URL(fileURLWithPath: "Contacts.mom"), replacingExisting: true)
  /// ```
  public final func write(to url: URL, replacingExisting: Bool = false) throws {
    let name = url.deletingPathExtension().lastPathComponent
    let model = try VersionedModel(versions: [VersionedModel.Version(name: name, model: self)])
    try model.write(to: url, replacingExisting: replacingExisting)
  }
}
