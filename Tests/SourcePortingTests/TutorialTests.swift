import SourcePorting
import Testing

@Suite("Porting sources of tutorials")
struct TutorialTests {
  @Test(
    "A ported source parses, and is unchanged when it is ported again",
    arguments: TutorialSources.all.indices)
  func settled(_ index: Int) {
    let source = TutorialSources.all[index]
    let ported = PortedSource(source)
    #expect(ported.text != source)
    expectIdempotent(ported)
    // Porting removes no obstacle: each must be removed by hand.
    #expect(
      ported.remainingObstacles.map(\.text).sorted() == ported.obstacles.map(\.text).sorted())
  }

  @Test("Sources ported together, with any line endings, are unchanged when they are ported again")
  func together() {
    let classes = ManagedClasses(of: TutorialSources.all)
    for source in TutorialSources.all {
      let ported = PortedSource(source, among: classes)
      expectIdempotent(ported, among: classes)
      let windows = PortedSource(source.replacing("\n", with: "\r\n"), among: classes)
      #expect(windows.text == ported.text.replacing("\n", with: "\r\n"))
      #expect(windows.changes.map(\.line) == ported.changes.map(\.line))
      #expect(windows.remainingObstacles == ported.remainingObstacles)
    }
  }
}
