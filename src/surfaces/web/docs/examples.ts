import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ErrorCode } from '../../../kernel/errors.ts'

/** The kinds of errors that the documentation shows; `example-errors.ts` has the text for each. */
export type ExampleErrorKind =
  | 'arguments'
  | 'place'
  | 'permission'
  | 'unknown'
  | 'stale'
  | 'confirmation'
  | 'key'
  | 'again'
  | 'archived'
  | 'session'
  | 'registration'

export interface ExampleError {
  kind: ExampleErrorKind
  code: ErrorCode
  message: string
  /** The proposed fix: the text after `Fix:` in the error message. */
  fix?: string
  /** The argument whose value was made invalid to cause the error. */
  argument?: string
}

/** A tool call that was made on the demo event, and its response. */
export interface ToolExample {
  arguments: Record<string, unknown>
  answer: Record<string, unknown>
  /** The number of items left out of each list of the response, by JSON pointer. */
  leftOut: Record<string, number>
  refusals: ExampleError[]
}

export type ToolExamples = Readonly<Record<string, ToolExample>>

/** The relative path of the file is the same from src/ and from the compiled code in dist/. */
const EXAMPLES_FILE = fileURLToPath(new URL('../../../../docs/tools/examples.json', import.meta.url))

/** Reads the examples. `npm run docs` generates them by calling every tool on the demo event. */
export const readExamples = (): ToolExamples => JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as ToolExamples

export const formatExampleCall = (name: string, { arguments: sent }: ToolExample) =>
  formatJson({ method: 'tools/call', params: { name, arguments: sent } })

export const formatExampleResponse = ({ answer, leftOut }: ToolExample) => formatJson(answer, leftOut)

/** A value that fits in this many characters is printed on one line, for example an amount of money. */
const MAX_LINE_LENGTH = 64

function formatJson(value: unknown, leftOut: Readonly<Record<string, number>> = {}, pointer = '', indent = ''): string {
  const whole = isCut(leftOut, pointer) ? null : formatInline(value)
  if (whole !== null && indent.length + whole.length <= MAX_LINE_LENGTH) return whole
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}  `
  const below = (key: string | number, part: unknown) => formatJson(part, leftOut, `${pointer}/${key}`, inner)
  if (Array.isArray(value)) {
    const more = leftOut[pointer]
    return block(['[', ']'], value.map((item, index) => below(index, item)), more ? `… ${more} more` : null, indent)
  }
  const fields = Object.entries(value)
  const shown = fields.length > MANY_FIELDS ? fields.filter(([, part]) => part !== null) : fields
  const empty = fields.length - shown.length
  const parts = shown.map(([key, part]) => `${JSON.stringify(key)}: ${below(key, part)}`)
  return block(['{', '}'], parts, empty > 0 ? `… ${empty} more fields, all null` : null, indent)
}

/** Records with more fields than this show a count of their null fields instead of the fields. */
const MANY_FIELDS = 20

function block([open, close]: readonly [string, string], parts: readonly string[], more: string | null, indent: string): string {
  const lines = parts.map((part, index) => `${indent}  ${part}${index < parts.length - 1 ? ',' : ''}`)
  return [open, ...lines, ...(more ? [`${indent}  ${more}`] : []), `${indent}${close}`].join('\n')
}

const isCut = (leftOut: Readonly<Record<string, number>>, pointer: string) =>
  Object.keys(leftOut).some((cut) => cut === pointer || cut.startsWith(`${pointer}/`))

function formatInline(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(formatInline).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${formatInline(part)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
