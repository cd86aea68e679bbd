/// Makes the expressions whose values are what fetches give.
package protocol FetchExpressionMaking {
  /// The expression of `FETCH(request, context, countOnly)`.
  static func expression(
    request: NSExpression, context: NSExpression, countsOnly: Bool
  ) -> NSExpression
}

/// Finds who makes them: fetches belong to a module above, which a program may be without.
enum FetchExpressions {
  static let maker: (any FetchExpressionMaking.Type)? =
    _typeByName("8CoreData24NSFetchRequestExpressionC") as? any FetchExpressionMaking.Type
}
