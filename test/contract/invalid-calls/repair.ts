import type { Tool } from '../../../src/kernel/tool.ts'
import type { ToolAnswer } from '../../support/world.ts'
import type { Arguments } from '../examples.ts'
import type { InvalidCall } from './calls.ts'

export interface RefusedCall {
  call: InvalidCall
  wrong: Arguments
  right: Arguments
  /** The text of the refusal: message and fix line. Most assistants see nothing else. */
  text: string
}

/** The tools of the endpoint, and how its callers call one. */
export interface Endpoint {
  tools: readonly Tool[]
  answer: (tool: string, args: Arguments) => Promise<ToolAnswer>
}

/**
 * Why an assistant could not repair the call with the text of the refusal alone; null if it could. The text must name every argument to
 * change. A new value must be in the text, in the wrong call, or in the answer of a tool that the text names, unless the assistant knows it.
 */
export async function findRepairGap({ call, wrong, right, text }: RefusedCall, { tools, answer }: Endpoint): Promise<string | null> {
  const missing = call.needs.find((need) => !text.includes(need) && !(need in wrong))
  if (missing !== undefined) return `does not contain ${missing}`
  const changed = Object.keys({ ...wrong, ...right }).filter((name) => JSON.stringify(wrong[name]) !== JSON.stringify(right[name]))
  const quoted = text.toLowerCase()
  // A quoted value identifies its argument as well as its name does.
  const isNamed = (name: string) =>
    text.includes(name) || leavesOf(wrong[name]).some((value) => quoted.includes(String(value).toLowerCase()))
  const unnamed = changed.find((name) => !isNamed(name))
  if (unnamed !== undefined) return `does not name ${unnamed}`
  if (call.known) return null
  const values = changed.flatMap((name) => leavesOf(right[name]))
  const given = new Set(leavesOf(wrong).map(String))
  const unknown = values.filter((value) => !given.has(String(value)) && !text.includes(String(value)))
  if (unknown.length === 0) return null
  const listed = await Promise.all(
    tools.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text)).map((tool) => answer(tool.name, argumentsFor(tool, text, right))),
  )
  const found = listed.filter(({ isError }) => !isError).map(({ structuredContent }) => JSON.stringify(structuredContent))
  const lost = unknown.find((value) => !found.some((json) => json.includes(String(value))))
  return lost === undefined ? null : `does not lead to ${JSON.stringify(lost)}`
}

/** The arguments of a listing tool: those of the fix line, else the codes of the call and the path that the text names. */
function argumentsFor({ name, shape }: Tool, text: string, { eventCode, clientCode }: Arguments): Arguments {
  const [, fix] = new RegExp(`call ${name} with (\\{.*\\})$`, 'm').exec(text) ?? []
  const [, path] = new RegExp(`${name} with path (\\S+)`).exec(text) ?? []
  const known = shape.properties ?? {}
  return {
    ...('eventCode' in known && eventCode !== undefined ? { eventCode } : {}),
    ...('clientCode' in known && clientCode !== undefined ? { clientCode } : {}),
    ...(path === undefined ? {} : { path }),
    ...(fix === undefined ? {} : (JSON.parse(fix) as Arguments)),
  }
}

const leavesOf = (value: unknown): unknown[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, part]) => [...(Array.isArray(value) ? [] : [key]), ...leavesOf(part)])
    : value === undefined
      ? []
      : [value]
