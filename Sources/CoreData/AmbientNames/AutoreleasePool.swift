/// Runs `body`.
///
/// On Apple's platforms what Objective-C returns lives until its pool ends; here objects end with their
/// last reference, and there is nothing to wait for.
@inlinable
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result { try body() }
