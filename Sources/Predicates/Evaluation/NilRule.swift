/// What a comparison with nil gives. A comparison with not-a-number is unknown by both rules.
///
/// The two differ on purpose: plain evaluation follows Foundation, and whatever decides whether an
/// object belongs to a fetch follows the store, so that a live result never disagrees with a
/// fetch.
package enum NilRule: Sendable {
  /// nil equals nil only, differs from everything else, and has no order. Every comparison holds
  /// or does not, but for those with the nil that a function makes of nil or of values that it has no
  /// result for: where Apple's raise an exception, the comparison is unknown, as in a store.
  case foundation

  /// As in SQL: a comparison in which a value is nil is unknown, and so are NOT of it, AND of it
  /// with what holds and OR of it with what does not; what is unknown in the end does not hold.
  ///
  /// A comparison by `==` or `!=` with the constant nil (IS NULL) is never unknown, and neither is
  /// ANY, which asks whether an element fulfils the comparison, or ALL, which asks whether none
  /// fails it. Arithmetic and functions of nil are nil.
  case store
}
