import SourcePorting
import Testing

/// Expects a source to be ported to another, which parses without a mistake, stays as it is when it is ported
/// again, and has what is left to do at the places that were told.
func expectPorted(
  _ source: String, becomes expected: String, among classes: ManagedClasses? = nil,
  location: SourceLocation = #_sourceLocation
) {
  let ported = PortedSource(source, among: classes)
  #expect(ported.text == expected, sourceLocation: location)
  expectSettled(ported, among: classes, location: location)
}

/// Expects what was ported to parse, and to stay as it is when it is ported again.
func expectSettled(
  _ ported: PortedSource, among classes: ManagedClasses? = nil,
  location: SourceLocation = #_sourceLocation
) {
  let again = PortedSource(ported.text, among: classes)
  #expect(again.text == ported.text && again.changes.isEmpty, sourceLocation: location)
  // A source with mistakes is refused, which would be among these.
  #expect(again.obstacles == ported.remainingObstacles, sourceLocation: location)
  #expect(
    !again.obstacles.contains { $0.text.contains("the file is not changed") }, "\(again.obstacles)",
    sourceLocation: location)
}
