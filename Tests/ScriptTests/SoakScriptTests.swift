import Testing

/// Runs `scripts/soak` and `scripts/fuzz` with arguments that they refuse before they build anything.
@Suite struct SoakScriptTests {
  @Test(arguments: [
    ("stores", "--seed"), ("faults", "--seed"), ("stores", "--round"), ("crash", "--model"),
    ("migrations", "--round"), ("results", "--model"), ("graph", "--differences"),
    ("predicates", "--round"),
  ])
  func `An option that a test does not use is refused`(_ name: String, _ option: String) throws {
    for arguments in [[name, option, "7"], [option, "7", name]] {
      let run = try ScriptRun("soak", arguments)
      #expect(run.status == 64)
      #expect(run.output.contains("soak: \(name) does not use \(option); it uses --steps"))
    }
  }

  @Test func `A value that is no number, an unknown name and an unknown option are refused`()
    throws
  {
    for (arguments, text) in [
      (["graph", "--steps", "many"], "'many' is not a number"),
      (["grph"], "unknown name 'grph'"), (["graph", "--stps", "1"], "unknown option '--stps'"),
      (["graph", "--steps"], "--steps needs a value"),
    ] {
      let run = try ScriptRun("soak", arguments)
      #expect(run.status == 64)
      #expect(run.output.contains(text))
    }
  }

  @Test(arguments: [
    ["stores", "--seconds", "5"], ["--seconds", "5", "folders"], ["--runs", "5"],
  ])
  func `A limit that a kind of fuzzing does not use is refused`(_ arguments: [String]) throws {
    let run = try ScriptRun("fuzz", arguments)
    #expect(run.status == 2)
    #expect(run.output.contains("fuzz: "))
    #expect(!run.output.contains("building"))
  }
}
