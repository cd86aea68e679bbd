/// The file of localized names and messages of a model: `<model>Model.strings`, in the folder of
/// the model or in a language folder (`de.lproj`) there.
///
/// The name and keys are those of Apple's documentation ("Localizing and Customizing Model Property
/// Names and Error Messages").
enum ModelStrings {
  /// Returns the texts for a model file in the best of some languages; nil if there is no such file or it
  /// cannot be read, because a missing string must not prevent using the model.
  static func texts(
    besideModelAt url: URL, languages: [String] = Locale.preferredLanguages
  ) -> [String: String]? {
    // A version's texts are those of the whole model, beside its folder.
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

  /// Returns the language folders, the best first: `de-AT`, `de`, the next language, …; then the base
  /// folder, and the model's own folder.
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
