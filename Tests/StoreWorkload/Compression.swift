import CZlib
import Foundation

/// Raw DEFLATE, the compression of a store's copy of its model.
enum Compression {
  static func unpacked(_ data: Data) -> Data? { run(data, unpacks: true) }
  static func packed(_ data: Data) -> Data { run(data, unpacks: false) ?? data }

  private static func run(_ data: Data, unpacks: Bool) -> Data? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    let begun =
      unpacks
      ? inflateInit2_(&stream, -15, ZLIB_VERSION, size)
      : deflateInit2_(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    guard begun == Z_OK else { return nil }
    defer { if unpacks { inflateEnd(&stream) } else { deflateEnd(&stream) } }
    var input = [UInt8](data)
    var output = [UInt8](repeating: 0, count: max(8_000_000, data.count + 100))
    let code = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return unpacks ? inflate(&stream, Z_FINISH) : deflate(&stream, Z_FINISH)
      }
    }
    guard code == Z_STREAM_END else { return nil }
    return Data(output.prefix(Int(stream.total_out)))
  }
}
