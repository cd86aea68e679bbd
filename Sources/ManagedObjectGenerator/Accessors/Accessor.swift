/// The generated functions for one `@NSManaged` declaration.
///
/// Each function is a method of the class and has the symbol of a getter, a setter or a method; ``AccessorWriter``
/// explains why. Another file cannot refer to a private class, so the functions for such a class are in an extension of
/// `NSManagedObject` instead. The generated file then has to come after the class's file in the list of files that the
/// compiler gets. SwiftPM appends generated files.
struct Accessor {
  /// The class whose extension contains the functions, as written in the generated file.
  var owner: String
  /// The `#if` conditions around the declaration.
  var conditions: [String]
  var key: Key
  /// The modules of the types that the functions use. An alias may stand for a type of a module that the file using
  /// the alias does not import.
  var modules: Set<String>
  var functions: [Function]

  /// Returns whether a mirror enumeration occurs in the type of a parameter or result.
  func mentions(_ mirror: MirrorEnumeration) -> Bool {
    functions.contains { "\($0.parameters) \($0.result ?? "")".contains(mirror.name) }
  }

  /// The name of a property in the model, such as `age`, and its name in the class: `age` or `primitiveAge`.
  struct Key: Hashable {
    var name: String
    var propertyName: String
  }

  /// A function, and the symbol by which the class's code refers to it.
  struct Function {
    var symbol: String
    var access: AccessLevel
    var name: String
    /// The parameters in source form: `_ value: __owned String?`.
    var parameters: String
    /// The result's type; nil for none.
    var result: String?
    var body: String
  }
}
