import CZlib

/// Raw DEFLATE (RFC 1951), without a header: the form of the model in a store.
package enum Deflate {
  /// What is wrong with the data.
  package struct Failure: Error {
    /// The reason, as a sentence.
    package let reason: String
  }

  /// Unpacks data.
  ///
  /// - Parameter limit: The most bytes that may come out; a small input can hold a thousand times
  ///   its size.
  package static func decompress(_ data: Data, limit: Int) throws -> Data {
    let (output, isWhole) = try inflated(data, limit: limit)
    guard isWhole else {
      throw Failure(reason: "its compressed data is damaged or cut short.")
    }
    return output
  }

  /// Unpacks data as far as it can be: what comes before the place where it is damaged or cut off.
  package static func decompressBeginning(of data: Data, limit: Int) -> Data {
    (try? inflated(data, limit: limit).output) ?? Data()
  }

  private static func inflated(
    _ data: Data, limit: Int
  ) throws -> (output: Data, isWhole: Bool) {
    var stream = z_stream()
    guard zlib_inflate_init_raw(&stream) == Z_OK else {
      throw Failure(reason: "zlib cannot be started.")
    }
    defer { inflateEnd(&stream) }
    var output = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var input = [UInt8](data)
    return try input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(clamping: source.count)
      while true {
        let (status, count) = chunk.withUnsafeMutableBufferPointer { target in
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(target.count)
          let status = inflate(&stream, Z_NO_FLUSH)
          return (status, target.count - Int(stream.avail_out))
        }
        output.append(contentsOf: chunk[..<count])
        guard output.count <= limit else {
          throw Failure(reason: "it unpacks to more than \(limit >> 20) MB.")
        }
        if status == Z_STREAM_END { return (output, true) }
        guard status == Z_OK, count > 0 || stream.avail_in > 0 else { return (output, false) }
      }
    }
  }

  /// Packs data.
  package static func compress(_ data: Data) throws -> Data {
    var stream = z_stream()
    guard zlib_deflate_init_raw(&stream, Z_DEFAULT_COMPRESSION) == Z_OK else {
      throw Failure(reason: "zlib cannot be started.")
    }
    defer { deflateEnd(&stream) }
    var input = [UInt8](data)
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
    let status = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(clamping: source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(clamping: target.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END else { throw Failure(reason: "zlib cannot pack the data.") }
    return Data(output[..<(output.count - Int(stream.avail_out))])
  }
}
