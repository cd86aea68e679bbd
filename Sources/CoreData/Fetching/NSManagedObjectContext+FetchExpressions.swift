extension NSManagedObjectContext: FetchRunning {
  package final func fetchedValue(of request: Any?, countOnly: Bool) throws -> Any {
    guard let request = request as? any FetchExecutable else {
      throw CoreDataError.badRequest(
        "a fetch expression needs a fetch request, not \(request ?? "nil")")
    }
    if countOnly { return try count(for: request.converted(to: request.resultType)) }
    return try request.results(in: self)
  }
}
