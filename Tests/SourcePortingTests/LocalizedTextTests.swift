import SourcePorting
import Testing

@Suite("Texts that are looked up, ported")
struct LocalizedTextTests {
  @Test(
    "a text without values is looked up in the way that is there everywhere",
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
    "one with values, or in a locale of one's own, is left to do by hand",
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
