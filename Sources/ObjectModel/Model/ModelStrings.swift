/// The file of localized names and messages of a model: `<model>Model.strings`, in the folder that contains the model
/// or in a language folder (`de.lproj`) of that folder.
///
/// The name and keys are those of Apple's documentation ("Localizing and Customizing Model Property
/// Names and Error Messages").
enum ModelStrings {
  /// Returns the texts of a model in the first of some languages that has a strings file. Returns nil if there is no
  /// such file or its content is invalid, because a model must be usable without texts.
  static func texts(
    besideModelAt url: URL, languages: [String] = Locale.preferredLanguages
  ) -> [String: String]? {
    // All versions of a model share the strings file beside the model's folder.
    let whole = ["momd", "xcdatamodeld"].contains(url.deletingLastPathComponent().pathExtension)
    let model = whole ? url.deletingLastPathComponent() : url
    let name = model.deletingPathExtension().lastPathComponent + "Model.strings"
    let folder = model.deletingLastPathComponent()
    for place in places(languages) {
      let file = folder.appendingPathComponent(place + name)
      guard let data = try? PlainFile.read(file) else { continue }
      let list = try? CheckedPropertyList.read(data)
      return list as? [String: String]
    }
    return nil
  }

  /// Returns the folders to search, the best first: `de-AT.lproj`, `de.lproj`, those of the next language, …; then
  /// `Base.lproj`, and an empty path for the folder that contains the model.
  private static func places(_ languages: [String]) -> [String] {
    var names: [String] = []
    for language in languages {
      var parts = language.split(separator: "-")
      while !parts.isEmpty {
        names.append(parts.joined(separator: "-"))
        parts.removeLast()
      }
    }
    return names.map { "\($0).lproj/" } + ["Base.lproj/", ""]
  }
}
