import SourcePorting
import Testing

@Suite("Sources of tutorials, ported")
struct TutorialTests {
  @Test(
    "a ported source parses, and porting it again changes nothing",
    arguments: TutorialSources.all.indices)
  func settled(_ index: Int) {
    let source = TutorialSources.all[index]
    let ported = PortedSource(source)
    #expect(ported.text != source)
    expectSettled(ported)
    // Everything that was to be done by hand is still to be done.
    #expect(
      ported.remainingObstacles.map(\.text).sorted() == ported.obstacles.map(\.text).sorted())
  }

  @Test("so are all of them together, and with the lines of Windows")
  func together() {
    let classes = ManagedClasses(of: TutorialSources.all)
    for source in TutorialSources.all {
      let ported = PortedSource(source, among: classes)
      expectSettled(ported, among: classes)
      let windows = PortedSource(source.replacing("\n", with: "\r\n"), among: classes)
      #expect(windows.text == ported.text.replacing("\n", with: "\r\n"))
      #expect(windows.changes.map(\.line) == ported.changes.map(\.line))
      #expect(windows.remainingObstacles == ported.remainingObstacles)
    }
  }
}
