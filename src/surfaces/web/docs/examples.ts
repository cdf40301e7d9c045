import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ErrorCode } from '../../../kernel/errors.ts'

/** Why a call was refused; `refusals.ts` has the words for each. */
export type RefusalKind =
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

export interface Refusal {
  kind: RefusalKind
  code: ErrorCode
  message: string
  /** The line after `Fix:`, where the refusal has one. */
  fix?: string
  /** The argument that was made wrong. */
  argument?: string
}

/** One call that was really made on the demo, and what really came back. */
export interface ToolExample {
  arguments: Record<string, unknown>
  answer: Record<string, unknown>
  /** How many items were left out of which list of the answer, by JSON pointer. */
  leftOut: Record<string, number>
  refusals: Refusal[]
}

export type ToolExamples = Readonly<Record<string, ToolExample>>

/** src/ and dist/ are equally deep, so this holds in both. */
const FILE = fileURLToPath(new URL('../../../../docs/tools/examples.json', import.meta.url))

/** Written by `npm run docs`, which runs every tool on the demo. */
export const readExamples = (): ToolExamples => JSON.parse(readFileSync(FILE, 'utf8')) as ToolExamples

export const callOf = (name: string, { arguments: sent }: ToolExample) =>
  printed({ method: 'tools/call', params: { name, arguments: sent } })

export const answerOf = ({ answer, leftOut }: ToolExample) => printed(answer, leftOut)

/** What fits on a line stays on it, so that an amount of money is not five. */
const LINE = 64

function printed(value: unknown, leftOut: Readonly<Record<string, number>> = {}, pointer = '', indent = ''): string {
  const whole = isCut(leftOut, pointer) ? null : inLine(value)
  if (whole !== null && indent.length + whole.length <= LINE) return whole
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}  `
  const below = (key: string | number, part: unknown) => printed(part, leftOut, `${pointer}/${key}`, inner)
  if (Array.isArray(value)) {
    const more = leftOut[pointer]
    return block(['[', ']'], value.map((item, index) => below(index, item)), more ? `… ${more} more` : null, indent)
  }
  const fields = Object.entries(value)
  const told = fields.length > MANY_FIELDS ? fields.filter(([, part]) => part !== null) : fields
  const empty = fields.length - told.length
  const parts = told.map(([key, part]) => `${JSON.stringify(key)}: ${below(key, part)}`)
  return block(['{', '}'], parts, empty > 0 ? `… ${empty} more that are null` : null, indent)
}

/** Of a large record what is null is only counted, or the rest would be lost between. */
const MANY_FIELDS = 20

function block([open, close]: readonly [string, string], parts: readonly string[], more: string | null, indent: string): string {
  const lines = parts.map((part, index) => `${indent}  ${part}${index < parts.length - 1 ? ',' : ''}`)
  return [open, ...lines, ...(more ? [`${indent}  ${more}`] : []), `${indent}${close}`].join('\n')
}

const isCut = (leftOut: Readonly<Record<string, number>>, pointer: string) =>
  Object.keys(leftOut).some((cut) => cut === pointer || cut.startsWith(`${pointer}/`))

function inLine(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(inLine).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${inLine(part)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
