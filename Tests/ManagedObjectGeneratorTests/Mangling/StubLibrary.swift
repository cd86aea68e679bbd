import Foundation

/// Stubs of the modules `CoreData` and `StoreEngine` with the functions that generated accessors
/// call. They compile quickly, and suffice because a symbol contains only a type's module and name.
enum StubLibrary {
  /// The module `StoreEngine`, which `CoreData` imports.
  static let engineSource = """
    import Foundation

    public final class NSManagedObjectID: NSObject {}
    """
  static let source = """
    @_exported import Foundation
    @_exported import StoreEngine

    open class NSManagedObject: NSObject {}
    public final class ManagedKey: Sendable {
      public let name: String
      public init(_ name: String) { self.name = name }
    }
    public func missing<Value>() -> Value { fatalError() }
    extension NSManagedObject {
      public final func managedValue<Value>(_ key: ManagedKey) -> Value { missing() }
      public final func requiredManagedValue<Value>(_ key: ManagedKey) -> Value { missing() }
      public final func managedEnumeration<Value: RawRepresentable>(_ key: ManagedKey) -> Value? { nil }
      public final func requiredManagedEnumeration<Value: RawRepresentable>(
        _ key: ManagedKey
      ) -> Value { missing() }
      public final func requiredPrimitiveValue<Value>(_ key: ManagedKey) -> Value { missing() }
      public final func setManagedValue<Value>(_ value: Value, _ key: ManagedKey) {}
      public final func primitiveEnumeration<Value: RawRepresentable>(_ key: ManagedKey) -> Value? { nil }
      public final func requiredPrimitiveEnumeration<Value: RawRepresentable>(
        _ key: ManagedKey
      ) -> Value { missing() }
      public final func setPrimitiveValue<Value>(_ value: Value, _ key: ManagedKey) {}
      public final func addManagedMembers(_ members: Any, _ key: ManagedKey) {}
      public final func removeManagedMembers(_ members: Any, _ key: ManagedKey) {}
      public final func insertManagedMembers(
        _ members: Any, at indexes: some Sequence<Int>, _ key: ManagedKey
      ) {}
      public final func removeManagedMembers(at indexes: some Sequence<Int>, _ key: ManagedKey) {}
      public final func replaceManagedMembers(
        at indexes: some Sequence<Int>, with members: Any, _ key: ManagedKey
      ) {}
    }

    """
}

/// Runs the compiler in a folder of its own.
struct CompilerRun {
  let folder: URL

  /// Makes the folder, and the modules `StoreEngine` and `CoreData` in it.
  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("ManagedObjectGenerator-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try write(StubLibrary.engineSource, to: "StoreEngine.swift")
    try write(StubLibrary.source, to: "CoreData.swift")
    for (module, dependencies) in [("StoreEngine", []), ("CoreData", ["-L.", "-lStoreEngine"])] {
      try run(
        ["swiftc", "-parse-as-library", "-emit-module", "-emit-library", "-module-name", module]
          + ["-I.", "\(module).swift", "-o", "lib\(module).so"] + dependencies)
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  struct Failure: Error, CustomStringConvertible {
    var command: [String]
    var description: String
  }

  /// Runs a command of the toolchain in the folder and returns its output.
  @discardableResult
  func run(_ command: String...) throws -> String { try run(command) }

  @discardableResult
  func run(_ command: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(command: command, description: text)
    }
    return text
  }
}
