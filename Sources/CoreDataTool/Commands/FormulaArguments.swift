import ArgumentParser

/// What the commands that write CSV take.
struct FormulaArguments: ParsableArguments {
  @Flag(
    help: """
      With csv: put an apostrophe before texts that a spreadsheet would run as formulas, those that begin with =, +, -, \
      @, a tab or a line end. Numbers stay numbers.
      """)
  var quoteFormulas = false
}
