extension NSManagedObjectContext: FetchRunning {
  package final func fetchedValue(of request: Any?, countOnly: Bool) throws -> Any {
    guard let request = request as? any FetchExecutable else {
      throw CoreDataError.badRequest(
        "\(request ?? "nil") is no fetch request, whose results an expression could be")
    }
    if countOnly { return try count(for: request.converted(to: request.resultType)) }
    return try request.results(in: self)
  }
}
