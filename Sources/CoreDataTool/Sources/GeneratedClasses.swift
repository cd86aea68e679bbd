import CoreData
import SourcePorting

/// The classes that are generated from models for the sources at some paths. The models are those of the package or
/// the Xcode project that contains a path, or those below the path's folder if there is neither.
struct GeneratedClasses {
  let classes: [ManagedClasses.Generated]

  /// Ignores models that cannot be read: building the project reports them.
  init(around paths: [String]) {
    var known: Set<String> = []
    let roots = paths.map(Self.root).filter { known.insert($0.path).inserted }
    let models = roots.flatMap(Self.models).filter { known.insert($0.path).inserted }
    classes = models.compactMap { try? VersionedModel(contentsOf: $0) }
      .flatMap { $0.currentModel.entities }.compactMap(Self.generated)
  }

  // MARK: Finding models

  private static func root(of path: String) -> URL {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let given =
      url.hasDirectoryPath || FileKind(path: url.path) == .folder
      ? url : url.deletingLastPathComponent()
    var folder = given
    // The nearest folder wins, because a package may be inside the folder of another project.
    while folder.path != "/" {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      if names.contains(where: { $0 == "Package.swift" || $0.hasSuffix(".xcodeproj") }) {
        return folder
      }
      folder = folder.deletingLastPathComponent()
    }
    return given
  }

  private static func models(in folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().flatMap { name -> [URL] in
      if SwiftSources.isSkipped(name) { return [] }
      let url = folder.appendingPathComponent(name)
      if ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) { return [url] }
      return FileKind(path: url.path, followingLinks: false) == .folder ? models(in: url) : []
    }
  }

  // MARK: Classes of a model

  /// Returns what Xcode and the plugin generate for an entity: a class, or an extension of a handwritten class
  /// (`category`, without a base class). Nil if they generate nothing.
  private static func generated(_ entity: NSEntityDescription) -> ManagedClasses.Generated? {
    guard let name = className(of: entity), name != "NSManagedObject",
      ["class", "category"].contains(entity.codeGenerationType)
    else { return nil }
    var properties: [String: String?] = [:]
    for property in entity.ownProperties {
      let type: String? =
        switch property as? NSRelationshipDescription {
        case let relationship? where !relationship.isToMany:
          relationship.destinationEntity.flatMap(className)
        case let relationship?: relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        case nil: nil
        }
      // The type of an attribute is nil. Assigning nil directly would remove the key.
      properties[property.name] = .some(type)
    }
    let isWhole = entity.codeGenerationType == "class"
    let base = isWhole ? entity.superentity.flatMap(className) ?? "NSManagedObject" : nil
    return ManagedClasses.Generated(name: name, base: base, properties: properties)
  }

  private static func className(of entity: NSEntityDescription) -> String? {
    entity.representedClassName?.split(separator: ".").last.map(String.init)
  }
}
