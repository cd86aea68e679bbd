/// A store whose rows are gathered with those of others, for dictionaries of all of them.
package protocol GatheredRowSource {
  /// Where the IDs of the store's objects say they come from.
  var origin: StoreOrigin { get }
  /// Whether values of groups can be computed.
  var groupsRows: Bool { get }
  /// Calls `body` with the values of some expressions for each row of a plan, in the order and within
  /// the limit of the plan's rows, or for each of its groups.
  ///
  /// Numbers, dates, texts and bytes are in the form in which a SQLite column keeps them. Conditions on
  /// groups are not applied.
  ///
  /// - Parameter isGrouped: whether the expressions are those of groups, which is asked for only where
  ///   ``groupsRows`` is true.
  func gather(
    _ expressions: [BoundExpression], of plan: DictionaryQuery, isGrouped: Bool,
    _ body: ([StoredValue]) throws -> Void) throws
}
