// Foundation gives `NSURL`s where Apple's gives `URL`s. Whoever wants those gets them.

extension Bundle {
  /// The resources of an extension, as Apple's method gives them.
  @_disfavoredOverload
  public func urls(
    forResourcesWithExtension ext: String?, subdirectory subpath: String?
  ) -> [URL]? {
    let found: [NSURL]? = urls(forResourcesWithExtension: ext, subdirectory: subpath)
    return found?.map { $0 as URL }
  }

  /// The resources of an extension in a folder that is a bundle, as Apple's method gives them.
  @_disfavoredOverload
  public class func urls(
    forResourcesWithExtension ext: String?, subdirectory subpath: String?, in bundleURL: URL
  ) -> [URL]? {
    let found: [NSURL]? = urls(
      forResourcesWithExtension: ext, subdirectory: subpath, in: bundleURL as NSURL)
    return found?.map { $0 as URL }
  }
}

extension NSManagedObjectModel {
  /// Reads a model of the URL that Foundation's methods of bundles give.
  public convenience init?(contentsOf url: NSURL) { self.init(contentsOf: url as URL) }
}

extension NSMappingModel {
  /// Reads a mapping model of the URL that Foundation's methods of bundles give.
  public convenience init?(contentsOf url: NSURL) { self.init(contentsOf: url as URL) }
}
