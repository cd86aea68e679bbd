import Foundation
import PackagePlugin

/// Compiles the models and mapping models of a target, and generates the models' classes and the accessors of
/// `@NSManaged` properties.
@main
struct ManagedObjectClasses: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let module = target as? any SourceModuleTarget else { return [] }
    let sources = Self.sources(of: module)
    guard !sources.isEmpty else { return [] }
    let models = Self.models(of: module)
    let dependencies = Self.dependencies(of: module)

    let folder = context.pluginWorkDirectoryURL
    var outputs = [folder.appending(path: "ManagedObjectAccessors.swift")]
    var arguments = ["--module", module.moduleName, "--output", folder.path]
    for model in models {
      let name = model.deletingPathExtension().lastPathComponent
      let form = model.pathExtension == "xcdatamodel" ? "mom" : "momd"
      outputs.append(folder.appending(path: "\(name)+ManagedObjectClasses.swift"))
      outputs.append(folder.appending(path: "\(name).\(form)"))
      arguments += ["--model", model.path]
    }
    let mappingModels = Self.folders(of: module, named: ["xcmappingmodel"])
    for mapping in mappingModels {
      let name = mapping.deletingPathExtension().lastPathComponent
      outputs.append(folder.appending(path: "\(name).cdm"))
      arguments += ["--mapping", mapping.path]
    }
    for source in sources { arguments += ["--source", source.path] }
    for dependency in dependencies {
      arguments += ["--dependency", dependency.moduleName]
      for source in Self.sources(of: dependency) {
        arguments += ["--dependency-source", source.path]
      }
      // This plugin generates the classes of these models, so the classes are in no source file.
      for model in Self.models(of: dependency) {
        arguments += ["--dependency-model", model.path]
      }
    }
    return [
      .buildCommand(
        displayName: "Generating managed object classes of \(target.name)",
        executable: try context.tool(named: "ManagedObjectGenerator").url,
        arguments: arguments,
        inputFiles: sources + models + mappingModels
          + (models + mappingModels).flatMap(Self.files)
          + dependencies.flatMap(Self.sources)
          + dependencies.flatMap(Self.models).flatMap(Self.files),
        outputFiles: outputs)
    ]
  }

  private static func sources(of target: any SourceModuleTarget) -> [URL] {
    target.sourceFiles(withSuffix: ".swift").filter { $0.type == .source }.map(\.url)
      .sorted { $0.path < $1.path }
  }

  /// Returns the models of a target, whether or not they are declared as resources.
  private static func models(of target: any SourceModuleTarget) -> [URL] {
    folders(of: target, named: ["xcdatamodeld", "xcdatamodel"])
  }

  private static func folders(of target: any SourceModuleTarget, named extensions: [String])
    -> [URL]
  {
    target.sourceFiles.map(\.url).filter { extensions.contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
  }

  /// Returns the files in a model's folder, because editing a file does not change the folder's modification date.
  private static func files(in model: URL) -> [URL] {
    let files = FileManager.default.enumerator(
      at: model, includingPropertiesForKeys: [.isRegularFileKey])
    return (files?.compactMap { $0 as? URL } ?? [])
      .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
      .sorted { $0.path < $1.path }
  }

  /// Returns the modules that may declare the types of the target's properties: its direct and indirect dependencies,
  /// without this library's products `CoreData` and `CoreDataTestSupport`.
  private static func dependencies(of target: any SourceModuleTarget) -> [any SourceModuleTarget] {
    let own = ["CoreData", "CoreDataTestSupport"]
    var found: [any SourceModuleTarget] = []
    var seen: Set<String> = []
    func visit(_ target: any Target) {
      guard seen.insert(target.id).inserted else { return }
      if let module = target as? any SourceModuleTarget, !sources(of: module).isEmpty {
        found.append(module)
      }
      target.dependencies.forEach(follow)
    }
    func follow(_ dependency: TargetDependency) {
      switch dependency {
      case .target(let target): visit(target)
      case .product(let product) where !own.contains(product.name):
        product.targets.forEach(visit)
      default: break
      }
    }
    target.dependencies.forEach(follow)
    return found
  }
}
