/// A predicate on its way into an archive as a part of another.
///
/// Coders keep one of two objects that are equal, and Foundation's own predicates take every other
/// compound for equal. A part is equal to itself alone.
final class PredicatePart: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  private let predicate: NSPredicate

  init(_ predicate: NSPredicate) { self.predicate = predicate }

  /// Parts are read as the predicates that they stand for.
  init?(coder: NSCoder) { nil }

  override var classForKeyedArchiver: AnyClass? { predicate.classForKeyedArchiver }

  func encode(with coder: NSCoder) { predicate.encode(with: coder) }
}
