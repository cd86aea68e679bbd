import Foundation

/// The scripts and styles of the pages.
struct ClientFiles {
  private static let types = [
    "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
  ]

  private let folder: URL

  init() throws {
    guard let folder = Bundle.module.resourceURL?.appendingPathComponent("Client") else {
      throw WebFailure.notFound("the explorer's scripts are not beside the program")
    }
    self.folder = folder
  }

  /// The file of a path; names alone lead into the folder, and nothing leads out of it.
  func response(_ path: ArraySlice<String>) throws -> WebResponse {
    let isPlain = path.allSatisfy { !$0.hasPrefix(".") && !$0.contains("/") && !$0.contains("\0") }
    let file = path.reduce(folder) { $0.appendingPathComponent($1) }
    guard isPlain, let type = Self.types[file.pathExtension],
      let data = try? Data(contentsOf: file)
    else { throw WebFailure.notFound("there is no such file") }
    return WebResponse(type: type, body: .data(data))
  }
}
