/// A copy of a private enumeration, which only its own file can see. The copy has the same cases, and so the same
/// memory layout and raw values.
///
/// This works in debug builds, where the compiler compiles one file at a time. Optimized builds compile a whole module
/// at once, and the compiler crashes if one function has two types: one with the original and one with the copy. So in
/// optimized builds, an `#error` says what to do.
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
    #error("\(original) is visible only in its own file, and an optimized build cannot make accessors for an \
    @NSManaged property of such a type. Make \(original) internal")
    #sourceLocation()
    #endif

    """
  }
}
