import { cleanText } from '../../kernel/clean-text.ts'
import type { Tool } from '../../kernel/tool.ts'

/**
 * Validates the result against its schema, and cleans untrusted text and lists its paths. An invalid result is a bug and rolls the call
 * back.
 */
export function shapeResult(tool: Tool, result: unknown): { json: string; untrusted: string[] } {
  const parsed = tool.output.safeParse(result)
  if (!parsed.success)
    throw new Error(`${tool.name} returned a wrong shape: ${parsed.error.issues.map((i) => `${i.path.join('/')} ${i.message}`).join('; ')}`)
  const untrusted: string[] = []
  for (const path of tool.outside) cleanAt(parsed.data, path, '', untrusted)
  return { json: JSON.stringify(parsed.data), untrusted }
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
