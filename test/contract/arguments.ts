import type { Tool } from '../../src/kernel/tool.ts'
import type { InputShape } from '../../src/kernel/input-shape.ts'
import type { ToolRefusal, ToolAnswer } from '../support/world.ts'
import { type Arguments, scopeArguments, type Stage } from './stage.ts'

type Field = NonNullable<ToolRefusal['fields']>[number]

const errorOf = ({ isError, _meta }: ToolAnswer): ToolRefusal | null => (isError ? (_meta!['lanyard/error'] as ToolRefusal) : null)
const fieldsOf = (answer: ToolAnswer): readonly Field[] => errorOf(answer)?.fields ?? []
const isAt = ({ path }: Field, name: string) => path === name || path.startsWith(`${name}/`)

/** Misspells a name the way assistants do: `eventCode` as `event_code`, `limit` as `Limit`. */
const misspelt = (name: string) =>
  /[A-Z]/.test(name) ? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : `${name[0]!.toUpperCase()}${name.slice(1)}`

export async function findUnknownArgumentProblems(stage: Stage, tool: Tool): Promise<string[]> {
  const names = Object.keys(tool.shape.properties ?? {})
  const codes = scopeArguments(tool, stage)
  const wrong = Object.fromEntries(names.map((name) => [misspelt(name), 'x']))
  const near = fieldsOf(await stage.callerOf(tool).answer(tool.name, { ...codes, ...wrong }))
  const strangers = ['zzqx', 'constructor', 'toString']
  const far = await Promise.all(
    [1, null, ''].map((value) =>
      stage.callerOf(tool).answer(tool.name, { ...codes, ...Object.fromEntries(strangers.map((name) => [name, value])) }),
    ),
  )
  return [
    ...names
      .filter((name) => !near.some(({ path, message }) => path === misspelt(name) && message.endsWith(`did you mean ${name}?`)))
      .map((name) => `${tool.name} does not suggest ${name} for ${misspelt(name)}`),
    ...strangers
      .filter(
        (name) =>
          !far.every((answer) => fieldsOf(answer).some(({ path, message }) => path === name && message.startsWith('is not an argument'))),
      )
      .map((name) => `${tool.name} accepts the unknown argument ${name}`),
  ]
}

/** One refusal must list every missing argument, also those inside lists and objects, so that one correction is enough. */
export async function findMissingArgumentProblems(stage: Stage, tool: Tool): Promise<string[]> {
  const named = fieldsOf(await stage.callerOf(tool).answer(tool.name, {}))
  const { required = [], properties = {} } = tool.shape
  const problems = required
    .filter((name) => !named.some(({ path, message }) => path === name && message.startsWith('is required')))
    .map((name) => `${tool.name} does not report that ${name} is missing`)
  for (const [name, schema] of Object.entries(properties)) {
    const [value, inside, at] = schema.type === 'array' ? [[{}], schema.items, `${name}/0`] : [{}, schema, name]
    if (inside?.type !== 'object') continue
    const answer = fieldsOf(await stage.callerOf(tool).answer(tool.name, { ...scopeArguments(tool, stage), [name]: value }))
    const unreported = (inside.required ?? []).filter((part) => !answer.some(({ path }) => path === `${at}/${part}`))
    problems.push(...unreported.map((part) => `${tool.name} does not report that ${at}/${part} is missing`))
  }
  return problems
}

const WRONG_VALUES: readonly unknown[] = [
  'zzqx',
  '\u0000',
  '\ud800',
  '%_\\\'";--',
  'x'.repeat(70_000),
  '99999-99-99',
  0,
  -1,
  7.5,
  1e308,
  2 ** 53,
  true,
  false,
  null,
  {},
  [],
  [null],
  [[[[]]]],
  { a: { b: [null, { c: 1 }] } },
  '{"a":',
  '[1,{"b":2}]',
]

const kindOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isSafeInteger(value) ? 'integer' : typeof value

/** Whether the value clearly has another type than the schema declares. Null and JSON text do not count: every tool accepts them. */
function hasWrongType(schema: InputShape, value: unknown): boolean {
  const kind = kindOf(value)
  if (kind === 'null' || schema.type === undefined) return false
  if ((schema.type === 'object' || schema.type === 'array') && kind === 'string') return !parsesTo(schema.type, value as string)
  return schema.type === 'number' ? kind !== 'number' && kind !== 'integer' : kind !== schema.type
}

function parsesTo(type: string, text: string): boolean {
  try {
    return kindOf(JSON.parse(text)) === type
  } catch {
    return false
  }
}

interface ArgumentSlot {
  path: readonly string[]
  schema: InputShape
  /** Builds call arguments that contain only this value, at the argument's path. */
  holding: (value: unknown) => unknown
}

function listArgumentSlots(schema: InputShape, at: readonly string[] = []): ArgumentSlot[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, part]) => ({ key: name, part, wrap: (v: unknown): unknown => ({ [name]: v }) })),
    ...(schema.items ? [{ key: '0', part: schema.items, wrap: (v: unknown): unknown => [v] }] : []),
  ]
  return inner.flatMap(({ key, part, wrap }) => [
    { path: [...at, key], schema: part, holding: wrap },
    ...listArgumentSlots(part, [...at, key]).map((place) => ({ ...place, holding: (v: unknown) => wrap(place.holding(v)) })),
  ])
}

const merged = (a: unknown, b: unknown): unknown => {
  if (Array.isArray(a) && Array.isArray(b)) return [merged(a[0], b[0])]
  if (kindOf(a) !== 'object' || kindOf(b) !== 'object') return b
  const [x, y] = [a as Arguments, b as Arguments]
  return { ...x, ...Object.fromEntries(Object.entries(y).map(([key, value]) => [key, key in x ? merged(x[key], value) : value])) }
}

/**
 * A wrong type must be refused with an error that names the argument, never with an internal error. All arguments of one depth get the
 * value in one call; only arguments that were not refused are then sent alone.
 */
export async function findArgumentTypeProblems(stage: Stage, tool: Tool): Promise<string[]> {
  const codes = scopeArguments(tool, stage)
  const places = listArgumentSlots(tool.shape)
  const depths = [...new Set(places.map(({ path }) => path.length))]
  const problems: string[] = []

  async function unnamed(group: readonly ArgumentSlot[], junk: unknown): Promise<readonly ArgumentSlot[]> {
    const holding = group.reduce<unknown>((all, place) => merged(all, place.holding(junk)), codes)
    const answer = await stage.callerOf(tool).answer(tool.name, holding as Arguments)
    if (INTERNAL_ERROR_CODES.has(errorOf(answer)?.code ?? '')) problems.push(`${tool.name} breaks on ${sentAs(group, junk)}`)
    return group.filter(({ path }) => !fieldsOf(answer).some((field) => isAt(field, path.join('/'))))
  }

  for (const junk of WRONG_VALUES) {
    for (const depth of depths) {
      const group = places.filter(({ path, schema }) => path.length === depth && !(schema.type === 'boolean' && kindOf(junk) === 'boolean'))
      // The event or client code decides where the call acts before other arguments are validated, so a text there is sent alone.
      const alone = (place: ArgumentSlot) =>
        typeof junk === 'string' && place.path.length === 1 && ['eventCode', 'clientCode'].includes(place.path[0]!)
      const accepted = await unnamed(
        group.filter((place) => !alone(place)),
        junk,
      )
      for (const place of [...accepted, ...group.filter(alone)].filter(() => junk !== null)) {
        const taken = (await unnamed([place], junk)).length > 0
        if (taken && hasWrongType(place.schema, junk)) problems.push(`${tool.name} accepts ${sentAs([place], junk)}`)
      }
    }
  }
  return [...new Set(problems)]
}

const INTERNAL_ERROR_CODES = new Set(['internal', 'unavailable'])

const sentAs = (group: readonly ArgumentSlot[], junk: unknown) =>
  `${group.map(({ path }) => path.join('/')).join(', ')} as ${JSON.stringify(junk).slice(0, 40)}`

/** Some clients send an object as JSON text. It must be parsed wherever an object or a list is declared. */
export async function findJsonTextProblems(stage: Stage, tool: Tool, given: readonly Arguments[]): Promise<string[]> {
  const problems: string[] = []
  const structured = Object.entries(tool.shape.properties ?? {}).filter(([, { type }]) => type === 'object' || type === 'array')
  for (const [name, { type }] of structured) {
    const empty = type === 'array' ? [] : {}
    const empties: Arguments = { ...scopeArguments(tool, stage), [name]: empty }
    for (const args of [empties, ...given.filter((one) => name in one)]) {
      const asItIs = fieldsOf(await stage.callerOf(tool).answer(tool.name, args))
      const asText = fieldsOf(await stage.callerOf(tool).answer(tool.name, { ...args, [name]: JSON.stringify(args[name]) }))
      const wrong = (fields: readonly Field[]) => JSON.stringify(fields.filter((field) => isAt(field, name)).map(({ path }) => path))
      if (wrong(asItIs) !== wrong(asText)) problems.push(`${tool.name} does not parse ${name} from JSON text`)
    }
  }
  return [...new Set(problems)]
}
