public import Foundation

/// A pointer to a variable that Objective-C would fill in; here nothing is released automatically.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// A pointer to where an Objective-C method puts its error.
public typealias NSErrorPointer = AutoreleasingUnsafeMutablePointer<NSError?>?
