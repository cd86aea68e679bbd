// A call to one of these functions compiles only if a public member exists and has its documented type in Swift.

/// Accepts a value of exactly this type.
func has<Value>(_ type: Value.Type, _ value: @autoclosure () throws -> Value) rethrows {
  _ = try value()
}

/// Accepts a settable member of exactly this type.
func settable<Owner: AnyObject, Value>(
  _ path: ReferenceWritableKeyPath<Owner, Value>, _ type: Value.Type, in owner: Owner
) {
  let value = owner[keyPath: path]
  owner[keyPath: path] = value
}
