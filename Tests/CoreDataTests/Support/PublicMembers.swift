// Tests that a public member is there, with its type in Swift: a missing one does not compile.

/// Takes a value of exactly the type that the call says.
func has<Value>(_ type: Value.Type, _ value: @autoclosure () throws -> Value) rethrows {
  _ = try value()
}

/// Takes a member that can be set.
func settable<Owner: AnyObject, Value>(
  _ path: ReferenceWritableKeyPath<Owner, Value>, _ type: Value.Type, in owner: Owner
) {
  let value = owner[keyPath: path]
  owner[keyPath: path] = value
}
