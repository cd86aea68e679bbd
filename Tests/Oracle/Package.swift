// swift-tools-version: 6.1

import PackageDescription

// Tests that use only API of Apple's Core Data. On Apple's platforms the package has no dependency, so `import CoreData`
// is Apple's framework, and the tests check the facts that the library's other tests rely on. Elsewhere they check the
// library. scripts/oracle runs them.
#if canImport(Darwin)
  let dependencies: [Package.Dependency] = []
  let coreData: [Target.Dependency] = []
#else
  let dependencies: [Package.Dependency] = [.package(name: "OpenCoreData", path: "../..")]
  let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "OpenCoreData")]
#endif

let package = Package(
  name: "Oracle",
  platforms: [.macOS(.v14)],
  dependencies: dependencies,
  targets: [.testTarget(name: "OracleTests", dependencies: coreData, path: "Tests")],
  // Apple's contexts and objects are not Sendable, so Swift 6 mode would need annotations that this library does not need.
  swiftLanguageModes: [.v5]
)
