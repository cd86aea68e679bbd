#if os(Linux)
  import Testing

  @Suite struct CommandedProcessTests {
    @Test func `Commands to a process that has ended have no reply, and do not end this one`()
      throws
    {
      // No test has this name, so the process ends without reading a command.
      let process = try CommandedProcess(
        "CommandedProcessTests/missing", setting: "OPENCOREDATA_UNUSED", to: "")
      for _ in 0..<2 { #expect(process.send("command") == nil) }
    }
  }
#endif
