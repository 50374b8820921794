import { assert, describe, it } from "@effect/vitest"
import { isLoopback } from "../../../domain/loopback.ts"

describe("this machine's own addresses", () => {
  it.each([
    "localhost",
    "LOCALHOST:8080",
    "127.0.0.1",
    "127.1.2.3:80",
    "::1",
    "[::1]",
    "[::1]:8080",
    "::ffff:127.0.0.1",
    "[::ffff:127.0.0.1]:80",
    // as a parsed URL writes them
    "[::ffff:7f00:1]",
    "0:0:0:0:0:0:0:1"
  ])("%s is one", (host) => assert.isTrue(isLoopback(host)))
  it.each([
    "",
    "localhost.evil.org",
    "evil.localhost:80",
    "127.0.0.1.evil.org",
    "128.0.0.1",
    "10.0.0.1",
    "::2",
    "::1:80",
    "[::1]evil",
    "[::1]:x",
    "localhost:123456",
    "localhost:",
    "0.0.0.0",
    "127.0.0.999",
    "::ffff:7e00:1"
  ])("%j is none", (host) => assert.isFalse(isLoopback(host)))
})
