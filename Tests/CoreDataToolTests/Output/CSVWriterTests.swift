import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct CSVWriterTests {
  @Test func `The output is a header and a record for each row, each ended by CR LF`() {
    let recorder = OutputRecorder()
    var writer = CSVWriter(output: recorder.write)
    writer.begin(columns: ["name", "a,b"], sectioned: false)
    writer.row([.text("Smith, Anna"), .integer(1)])
    writer.row([.text("say \"hi\"\nthere"), .null])
    writer.row([.text(""), .boolean(true)])
    writer.end()
    #expect(
      recorder.text
        == "name,\"a,b\"\r\n\"Smith, Anna\",1\r\n\"say \"\"hi\"\"\nthere\",\r\n\"\",true\r\n")
  }

  @Test func `The first column is the section`() {
    let recorder = OutputRecorder()
    var writer = CSVWriter(output: recorder.write)
    writer.begin(columns: ["n"], sectioned: true)
    writer.section("A", count: 1)
    writer.row([.integer(1)])
    writer.section("B,C", count: 1)
    writer.row([.integer(2)])
    writer.end()
    #expect(recorder.text == "@section,n\r\nA,1\r\n\"B,C\",2\r\n")
  }

  @Test func `A quotation mark before a combining mark is doubled too`() {
    // RFC 4180, 2.7. Swift counts the two as one character.
    #expect(CSVWriter.field("a\"\u{301},=b") == "\"a\"\"\u{301},=b\"")
  }

  @Test
  func `Titles are quoted like texts, and a nil section differs from an empty-string section`() {
    let recorder = OutputRecorder()
    var writer = CSVWriter(quotesFormulas: true, output: recorder.write)
    writer.begin(columns: ["=n"], sectioned: true)
    writer.section(nil, count: 1)
    writer.row([.integer(-1)])
    writer.section("", count: 1)
    writer.row([.text("-1")])
    writer.section("@a", count: 1)
    writer.row([.unreadable])
    writer.end()
    #expect(recorder.text == "'@section,'=n\r\n,-1\r\n\"\",'-1\r\n'@a,\r\n")
  }

  @Test func `A carriage return is quoted, alone or before a line feed`() {
    #expect(CSVWriter.field("a\rb") == "\"a\rb\"")
    #expect(CSVWriter.field("a\r\nb") == "\"a\r\nb\"")
    #expect(CSVWriter.field("plain text") == "plain text")
  }

  @Test func `Dates, data and relationships are written as in JSON without quotes`() {
    #expect(
      CSVWriter.text(of: .date(Date(timeIntervalSinceReferenceDate: 0))) == "2001-01-01T00:00:00Z")
    #expect(CSVWriter.text(of: .data(Data([1, 2, 3]))) == "AQID")
    #expect(CSVWriter.text(of: .object(entity: "Team", key: 3)) == "Team/p3")
    #expect(CSVWriter.text(of: .objects(entity: "Job", count: 1_234)) == "1234")
    #expect(CSVWriter.text(of: .composite(["a": .text("x")])) == #""{""a"":""x""}""#)
  }
}
