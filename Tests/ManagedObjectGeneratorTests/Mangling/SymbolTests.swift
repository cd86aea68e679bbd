import FixtureSupport
import Foundation
import Testing

@testable import ManagedObjectGenerator

@Suite struct SymbolTests {
  @Test(arguments: WholeRun.sample([1, 2] as [UInt64], every: 2))
  func `Accessors of 300 random declarations have the symbols that the compiler references`(
    seed: UInt64
  ) throws {
    let declarations = RandomDeclarations(count: 300, seed: seed)
    #expect(declarations.count == 300)
    let compiler = try CompilerRun()
    defer { compiler.remove() }
    let names = declarations.sources.keys.sorted()
    for name in names { try compiler.write(declarations.sources[name] ?? "", to: name) }
    let module = RandomDeclarations.module
    let accessors = try SourceAccessors(
      module: module, paths: names.map(compiler.path), dependencies: [])
    let own = Set(accessors.accessors.flatMap(\.functions).map(\.symbol))

    try compiler.compile(names, module: module, "-Onone", "-wmo", "-c", "-o", "debug.o")
    let wanted = try compiler.undefinedSymbols(of: "debug.o", module: module)
    #expect(wanted.subtracting(own).sorted() == [], "missing symbols")
    #expect(own.subtracting(wanted).sorted() == [], "unexpected symbols")

    // The accessors also link, both with and without optimization.
    try compiler.write(accessors.text, to: "Accessors.swift")
    let all = names + ["Accessors.swift"]
    let link = [
      "-emit-library", "-L", ".", "-lCoreData", "-lStoreEngine", "-Xlinker", "-z", "-Xlinker",
      "defs",
    ]
    try compiler.compile(all, module: module, ["-Onone", "-o", "libDebug.so"] + link)
    try compiler.compile(all, module: module, ["-O", "-wmo", "-o", "libRelease.so"] + link)
  }
}

extension CompilerRun {
  func compile(_ sources: [String], module: String, _ options: String...) throws {
    try compile(sources, module: module, options)
  }

  func compile(_ sources: [String], module: String, _ options: [String]) throws {
    try run(
      ["swiftc", "-swift-version", "6", "-suppress-warnings", "-parse-as-library", "-module-name"]
        + [module, "-I", "."] + sources + options)
  }

  /// Returns the symbols of a module that an object file does not define.
  func undefinedSymbols(of object: String, module: String) throws -> Set<String> {
    let list = try run(["llvm-nm", "--undefined-only", "--just-symbol-name", object])
    let lines = list.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let prefix = "$s\(module.utf8.count)\(module)"
    return Set(lines.filter { $0.hasPrefix(prefix) })
  }
}
