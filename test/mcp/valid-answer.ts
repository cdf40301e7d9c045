import { expect } from 'vitest'
import type { HttpAnswer } from '../support/rpc.ts'

/** Patterns of stack traces, file paths and database errors, which no answer may contain. */
const INTERNALS = /\n\s+at |node_modules|\/src\/|\.ts:\d|ECONN|relation "|syntax error at|PGlite|\[object Object\]/

/** Every answer, including a refusal, is of a documented kind: never a server error, and without internals. */
export function expectValidAnswer({ status, text, json }: HttpAnswer): void {
  if (status >= 500) throw new Error(`${status} ${text.slice(0, 2000)}`)
  expect(text).not.toMatch(INTERNALS)
  expect(json?.result?._meta?.['lanyard/error']?.code).not.toBe('internal')
}
