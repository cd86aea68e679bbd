/// The rule for comparisons with nil. A comparison with not-a-number is unknown under both rules.
///
/// The rules differ on purpose: plain evaluation follows Foundation, and the code that decides whether
/// an object belongs to a fetch follows the store, so that a live result always agrees with a fetch.
package enum NilRule: Sendable {
  /// nil equals only nil, differs from every other value, and has no order. Comparisons with nil are
  /// true or false, unless a function returned the nil because its argument is nil or because it has no
  /// result for the argument. Apple's Core Data raises an exception for such a comparison; here it is
  /// unknown, as in a store.
  case foundation

  /// As in SQL, a comparison with a nil value is unknown. NOT of unknown is unknown, and so are unknown
  /// AND true, and unknown OR false. A predicate that is unknown in the end is not true.
  ///
  /// A comparison with the constant nil by `==` or `!=` (IS NULL) is never unknown. ANY is never unknown either: it
  /// tests whether the comparison is true for an element. Nor is ALL: it tests whether the comparison is true for every
  /// element. Arithmetic and functions of nil return nil. The statistical functions (``Statistic``) ignore nil
  /// arguments: if all are nil, `count:` and `sum:` return 0, `mode:` an empty list, and the others nil.
  case store
}
