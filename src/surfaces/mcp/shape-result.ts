import { cleanText } from '../../kernel/clean-text.ts'
import { omitEmptyFields } from '../../kernel/empty-fields.ts'
import type { Tool } from '../../kernel/tool.ts'

/** The result of a tool after validation against its schema. */
export interface ValidatedToolResult {
  /** The result with all its fields, for the console and for repeated calls. */
  result: object
  /** The JSON that clients get: the result without its empty fields. */
  json: string
  untrusted: string[]
}

/**
 * Validates the result against its schema, cleans untrusted text in the result and lists where it is. An invalid result is a bug and rolls
 * the call back.
 */
export function validateToolResult(tool: Tool, result: unknown): ValidatedToolResult {
  const parsed = tool.output.safeParse(result)
  if (!parsed.success)
    throw new Error(`${tool.name} returned a wrong shape: ${parsed.error.issues.map((i) => `${i.path.join('/')} ${i.message}`).join('; ')}`)
  const untrusted: string[] = []
  for (const path of tool.outside) cleanAt(parsed.data, path, '', untrusted)
  return { result: parsed.data, json: JSON.stringify(omitEmptyFields(parsed.data, tool.emptyFields)), untrusted }
}

type Holder = Record<string, unknown>

function cleanAt(holder: unknown, [key, ...rest]: readonly string[], pointer: string, untrusted: string[]): void {
  if (holder === null || typeof holder !== 'object' || key === undefined) return
  const keys = key === '*' ? Object.keys(holder) : [key]
  for (const name of keys) {
    const value = (holder as Holder)[name]
    const at = `${pointer}/${name}`
    if (rest.length > 0) cleanAt(value, rest, at, untrusted)
    else if (typeof value === 'string') {
      ;(holder as Holder)[name] = cleanText(value)
      untrusted.push(at)
    }
  }
}
