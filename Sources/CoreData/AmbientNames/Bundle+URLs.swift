// These methods of Foundation return `NSURL`s here and `URL`s on Apple's platforms. The overloads return `URL`s.

extension Bundle {
  // The overloads are disfavored, because a call without a type annotation would otherwise be ambiguous between an
  // overload and Foundation's method.

  /// Returns the URLs of the resources with a file extension, as on Apple's platforms.
  @_disfavoredOverload
  public func urls(
    forResourcesWithExtension ext: String?, subdirectory subpath: String?
  ) -> [URL]? {
    // The type annotation selects Foundation's method.
    let found: [NSURL]? = urls(forResourcesWithExtension: ext, subdirectory: subpath)
    return found?.map { $0 as URL }
  }

  /// Returns the URLs of the resources with a file extension in the bundle at a URL, as on Apple's platforms.
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
  /// Reads the model at a URL that a method of `Bundle` returned.
  public convenience init?(contentsOf url: NSURL) { self.init(contentsOf: url as URL) }
}

extension NSMappingModel {
  /// Reads the mapping model at a URL that a method of `Bundle` returned.
  public convenience init?(contentsOf url: NSURL) { self.init(contentsOf: url as URL) }
}
