import SourcePorting
import Testing

/// Expects a source to be ported to the expected text. That text must parse, and porting it again must change nothing
/// and report the remaining obstacles at the same locations.
func expectPorted(
  _ source: String, becomes expected: String, among classes: ManagedClasses? = nil,
  location: SourceLocation = #_sourceLocation
) {
  let ported = PortedSource(source, among: classes)
  #expect(ported.text == expected, sourceLocation: location)
  expectIdempotent(ported, among: classes, location: location)
}

/// Expects a ported source to parse, and to be unchanged when it is ported again.
func expectIdempotent(
  _ ported: PortedSource, among classes: ManagedClasses? = nil,
  location: SourceLocation = #_sourceLocation
) {
  let again = PortedSource(ported.text, among: classes)
  #expect(again.text == ported.text && again.changes.isEmpty, sourceLocation: location)
  // A source that does not parse is rejected, and the rejection would be one of these obstacles.
  #expect(again.obstacles == ported.remainingObstacles, sourceLocation: location)
  #expect(
    !again.obstacles.contains { $0.text.contains("the file is not changed") }, "\(again.obstacles)",
    sourceLocation: location)
}
