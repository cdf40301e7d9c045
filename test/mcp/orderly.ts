import { expect } from 'vitest'
import type { Answer } from '../support/rpc.ts'

/** Traces of the inside that no answer may show. */
const INSIDE = /\n\s+at |node_modules|\/src\/|\.ts:\d|ECONN|relation "|syntax error at|PGlite|\[object Object\]/

/** Refused or not, an answer is one of the documented kind: never a failure of the server, never a look inside. */
export function expectOrderly({ status, text, json }: Answer): void {
  if (status >= 500) throw new Error(`${status} ${text.slice(0, 2000)}`)
  expect(text).not.toMatch(INSIDE)
  expect(json?.result?._meta?.['lanyard/error']?.code).not.toBe('internal')
}
