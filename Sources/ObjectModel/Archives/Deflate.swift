import CZlib

/// Raw DEFLATE (RFC 1951) without a header, which stores use for their copy of the model.
package enum Deflate {
  /// An error in the data.
  package struct Failure: Error {
    /// The reason, as a sentence.
    package let reason: String
  }

  /// Decompresses data.
  ///
  /// - Parameter limit: The maximum size of the output in bytes, because a small input can expand a thousandfold.
  /// - Throws: A ``Failure`` if the data is damaged or truncated, or the output would exceed the limit.
  package static func decompress(_ data: Data, limit: Int) throws -> Data {
    let (output, isComplete) = try inflated(data, limit: limit)
    guard isComplete else {
      throw Failure(reason: "its compressed data is damaged or truncated.")
    }
    return output
  }

  /// Decompresses data up to the position where it is damaged or truncated. Returns no data if the output would
  /// exceed the limit.
  package static func decompressBeginning(of data: Data, limit: Int) -> Data {
    (try? inflated(data, limit: limit).output) ?? Data()
  }

  private static func inflated(
    _ data: Data, limit: Int
  ) throws -> (output: Data, isComplete: Bool) {
    var stream = z_stream()
    guard zlib_inflate_init_raw(&stream) == Z_OK else {
      throw Failure(reason: "zlib cannot be initialized.")
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
        // Checked after each chunk, so that memory exceeds the limit by at most one chunk.
        guard output.count <= limit else {
          throw Failure(reason: "it decompresses to more than \(limit >> 20) MB.")
        }
        if status == Z_STREAM_END { return (output, true) }
        // Without remaining input and without output there is no progress: the data is truncated.
        guard status == Z_OK, count > 0 || stream.avail_in > 0 else { return (output, false) }
      }
    }
  }

  /// Compresses data.
  package static func compress(_ data: Data) throws -> Data {
    var stream = z_stream()
    guard zlib_deflate_init_raw(&stream, Z_DEFAULT_COMPRESSION) == Z_OK else {
      throw Failure(reason: "zlib cannot be initialized.")
    }
    defer { deflateEnd(&stream) }
    var input = [UInt8](data)
    // With room for the worst case, a single call to `deflate` compresses everything.
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
    guard status == Z_STREAM_END else { throw Failure(reason: "zlib cannot compress the data.") }
    return Data(output[..<(output.count - Int(stream.avail_out))])
  }
}
