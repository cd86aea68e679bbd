/// A copy of an enumeration that only its own file can see. It has the same cases, and so the same memory layout and
/// raw values.
///
/// This works in debug builds, where the compiler compiles one file at a time. Optimized builds compile a whole
/// module at once, where two types for one function crash the compiler; so there, an `#error` says what to do.
struct MirrorEnumeration {
  let name: String
  let declaration: String
  let original: String
  let location: SourceDiagnostic.Location

  /// Code that stops optimized builds, which cannot compile accessors with this type.
  var refusal: String {
    """
    #if !DEBUG
    #sourceLocation(file: \(AccessorWriter.literal(location.file)), line: \(location.line ?? 1))
    #error("only its own file can see \(original), and an optimized build cannot make accessors for an @NSManaged \
    property of such a type. Make it internal")
    #sourceLocation()
    #endif

    """
  }
}
