/// What a generated file has in the stead of one `@NSManaged` declaration.
///
/// Each function is a method of the class and has the symbol of a getter, a setter or a method; ``AccessorWriter``
/// says why it is written as it is. Another file cannot name a private class, so the functions of such a class extend
/// `NSManagedObject` instead. The generated file then has to come after the class's file in the list of files that
/// the compiler gets. SwiftPM appends generated files.
struct Accessor {
  /// The class that the functions extend, as the file writes it.
  var owner: String
  /// The conditions of `#if` around the declaration.
  var conditions: [String]
  var key: Key
  /// The modules of the types that the functions name: an alias may stand for one of a module that the file that
  /// uses it does not import.
  var modules: Set<String>
  var functions: [Function]

  /// Whether a function takes or gives a type that stands for another one.
  func mentions(_ mirror: MirrorEnumeration) -> Bool {
    functions.contains { "\($0.parameters) \($0.result ?? "")".contains(mirror.name) }
  }

  /// Which property of the model, and what the class calls it: `age`, or `primitiveAge`.
  struct Key: Hashable {
    var name: String
    var propertyName: String
  }

  /// A function under the symbol that the compiler asks for.
  struct Function {
    var symbol: String
    var access: AccessLevel
    var name: String
    /// The parameters, as the source writes them: `_ value: __owned String?`.
    var parameters: String
    /// The result's type; nil for none.
    var result: String?
    var body: String
  }
}
