/// An enumeration with the same cases as one that its file alone sees, and with that the same form in memory and the same
/// raw values.
///
/// The compiler looks at a file at a time in debug builds. In optimised ones it looks at all of a module together, sees two
/// types for one function and ends with a crash; so those say what is to be done instead.
struct MirrorEnumeration {
  let name: String
  let declaration: String
  let original: String
  let location: SourceDiagnostic.Location

  /// What keeps accessors with this type from being compiled where they cannot be.
  var refusal: String {
    """
    #if !DEBUG
    #sourceLocation(file: \(AccessorWriter.literal(location.file)), line: \(location.line ?? 1))
    #error("\(original) is seen by its file alone: an optimised build cannot make the accessors of an @NSManaged property \
    of it. Make it internal")
    #sourceLocation()
    #endif

    """
  }
}
