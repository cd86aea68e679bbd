/// `+`, `-` or `*` of integers and doubles.
final class ArithmeticValue: CompiledValue, @unchecked Sendable {
  private let operation: BoundExpression.ArithmeticOperator
  private let left: CompiledValue
  private let right: CompiledValue

  init(
    _ operation: BoundExpression.ArithmeticOperator, _ left: CompiledValue, _ right: CompiledValue
  ) {
    self.operation = operation
    self.left = left
    self.right = right
  }

  override func value(_ frames: EvaluationFrames) throws -> StoredValue {
    operation.value(try left.value(frames), try right.value(frames))
  }
}

/// A function with one or two arguments. Unlike functions with more arguments, it needs no array of them.
final class FunctionValue: CompiledValue, @unchecked Sendable {
  private let function: BoundFunction
  private let first: CompiledValue
  private let firstKind: ValueKind
  private let second: CompiledValue?
  private let secondKind: ValueKind

  init(_ function: BoundFunction, _ first: CompiledValue, _ second: CompiledValue?) {
    self.function = function
    self.first = first
    self.second = second
    firstKind = function.argumentKinds[0]
    secondKind = second == nil ? .null : function.argumentKinds[1]
  }

  override func value(_ frames: EvaluationFrames) throws -> StoredValue {
    let a = firstKind.scalar(try first.value(frames))
    let b = try second.map { secondKind.scalar(try $0.value(frames)) } ?? .null
    return StoredValue(try function.result(a, b))
  }
}
