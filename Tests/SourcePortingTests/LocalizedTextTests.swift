import SourcePorting
import Testing

@Suite("Porting localized strings")
struct LocalizedTextTests {
  @Test(
    "A localized string without values becomes a call to NSLocalizedString",
    arguments: [
      ("String(localized: \"Jobs\")", "NSLocalizedString(\"Jobs\", comment: \"\")"),
      (
        "String(\n  localized: \"Jobs\",\n  bundle: .module,\n  comment: \"A title.\"\n)",
        "NSLocalizedString(\n  \"Jobs\",\n  bundle: .module,\n  comment: \"A title.\"\n)"
      ),
      (
        "String(localized: \"Jobs\", table: \"Main\", bundle: .module,)",
        "NSLocalizedString(\"Jobs\", tableName: \"Main\", bundle: .module, comment: \"\")"
      ),
    ])
  func plain(_ source: String, _ expected: String) {
    expectPorted("let a = \(source)\n", becomes: "let a = \(expected)\n")
  }

  @Test(
    "A localized string that NSLocalizedString cannot express must be ported by hand",
    arguments: [
      "String(localized: \"\\(count) jobs\")", "String(localized: \"100 %\")",
      "String(localized: resource)", "String(localized: \"Jobs\", locale: locale)",
      "String(localized: \"jobs\", defaultValue: \"Jobs\")", "LocalizedStringResource(\"Jobs\")",
    ])
  func others(_ source: String) {
    let ported = PortedSource("let a = \(source)")
    #expect(ported.changes.isEmpty)
    #expect(ported.obstacles.count == 1)
    #expect(ported.obstacles.first?.text.contains("NSLocalizedString") == true)
  }
}
