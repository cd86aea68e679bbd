/// Runs a closure and returns its result.
///
/// On Apple's platforms, objects that Objective-C returns live until the pool ends. Here they are freed with their
/// last reference, so there is no pool to drain.
@inlinable
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result { try body() }
