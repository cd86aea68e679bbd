/// A rating.
public enum Stars: Int16, Sendable {
  case none, one, two, three
}
