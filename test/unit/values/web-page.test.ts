import { assert, describe, it } from "vitest"
import { isWebPage, titleOfPage } from "../../../values/http/web-page.ts"

describe("a page of the web in place of an answer", () => {
  it("is known by how it begins, whatever stands before its first tag", () => {
    for (const body of [
      "<!DOCTYPE html><p>x",
      "\ufeff\n <HTML lang=en>",
      '<?xml version="1.0"?>\n<html>',
      "<head></head>"
    ])
      assert.isTrue(isWebPage(body), body)
  })
  it("is no JSON, no text about pages, and no XML of another kind", () => {
    for (const body of ['{"choices":[]}', "", "no <html> here", "<Error><Code>x</Code></Error>", "<header>"])
      assert.isFalse(isWebPage(body), body)
  })
  it("is told by its title, else by its first words, on one line and cut", () => {
    const page = "<html><head><title>\n Sign in &amp; go&#33; &nope;</title><style>p{}</style></head><body>Room</body>"
    assert.strictEqual(titleOfPage(page), "Sign in & go! &nope;")
    assert.strictEqual(titleOfPage("<html><script>var a</script><h1>502</h1>\n<p>Bad  Gateway"), "502 Bad Gateway")
    assert.strictEqual(titleOfPage("<html></html>"), "")
    assert.lengthOf(titleOfPage(`<html>${"word ".repeat(5000)}`), 121)
  })
})
