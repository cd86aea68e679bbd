/// A predicate that is written into an archive as a part of another.
///
/// A coder archives only one of two equal objects, and Foundation's own predicates consider any two
/// compound predicates equal. A part is equal to itself only.
final class PredicatePart: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  private let predicate: NSPredicate

  init(_ predicate: NSPredicate) { self.predicate = predicate }

  /// Always fails: a part is read as the predicate it wraps.
  init?(coder: NSCoder) { nil }

  override var classForKeyedArchiver: AnyClass? { predicate.classForKeyedArchiver }

  func encode(with coder: NSCoder) { predicate.encode(with: coder) }
}
