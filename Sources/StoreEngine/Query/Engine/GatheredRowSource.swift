/// A store whose rows can be collected with those of other stores, for dictionary requests over all of them.
package protocol GatheredRowSource {
  /// The origin of the IDs of the store's objects.
  var origin: StoreOrigin { get }
  /// Whether the store can compute values of groups.
  var groupsRows: Bool { get }
  /// Calls `body` with the values of expressions for each row of a query, in the order and within the limit of the
  /// query, or for each of its groups.
  ///
  /// Numbers, dates, strings and data have the form of a SQLite column. Conditions on groups are not applied.
  ///
  /// - Parameter isGrouped: Whether the expressions are those of groups. Only true if ``groupsRows`` is true.
  func gather(
    _ expressions: [BoundExpression], of plan: DictionaryQuery, isGrouped: Bool,
    _ body: ([StoredValue]) throws -> Void) throws
}
