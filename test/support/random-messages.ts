import fc from 'fast-check'
import type { Tool } from '../../src/kernel/tool.ts'
import type { InputShape } from '../../src/kernel/input-shape.ts'
import { buildLegacyMessage, type RpcMessage, buildModernMessage, toolCallParams } from './rpc.ts'

/** Values that often break software: wrong types, boundary numbers, and texts that databases, shells and parsers misread. */
const JUNK_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  'null',
  '[]',
  '{"a":1}',
  '[[[[[',
  "'; drop table users; --",
  '%_\\',
  '../../etc/passwd',
  '${7*7}',
  '\u202e\u200b',
  'x'.repeat(3000),
  '2027-02-30',
  '9999-12-31T23:59:59.999Z',
  [],
  {},
  [null],
  [[]],
  { constructor: 1, toString: null },
  Array.from({ length: 300 }, (_, i) => i),
]

const junk = fc.oneof(fc.constantFrom(...JUNK_VALUES), fc.jsonValue({ maxDepth: 3 }))

/** Argument values that exist in the test world, so that some calls pass the first checks. */
const EXISTING_VALUES: Record<string, readonly string[]> = {
  eventCode: ['summit', 'summit', 'summit', 'draft-event', 'nowhere'],
  clientCode: ['acme', 'acme', 'acme', 'other', 'absent'],
}

/** Generates arguments that follow the tool's input schema. */
function argumentsFor(shape: InputShape, name = ''): fc.Arbitrary<unknown> {
  if (EXISTING_VALUES[name]) return fc.constantFrom(...EXISTING_VALUES[name])
  if (shape.allowed) return fc.constantFrom(...shape.allowed)
  switch (shape.type) {
    case 'object':
      return fc.record(Object.fromEntries(Object.entries(shape.properties ?? {}).map(([key, part]) => [key, argumentsFor(part, key)])), {
        requiredKeys: [...(shape.required ?? [])],
      })
    case 'array':
      return fc.array(shape.items ? argumentsFor(shape.items) : junk, { maxLength: 4 })
    case 'integer':
      return integerWithin(shape)
    case 'number':
      return numberWithin(shape)
    case 'boolean':
      return fc.boolean()
    default:
      return textOf(shape)
  }
}

/** The limits of a numeric argument. A missing limit is set close to the declared one. */
const limitsOf = ({ minimum, maximum }: InputShape) => ({
  min: minimum ?? Math.min(0, maximum ?? 0),
  max: maximum ?? Math.max(1000, (minimum ?? 0) + 1000),
})

function integerWithin(shape: InputShape): fc.Arbitrary<number> {
  const { min, max } = limitsOf(shape)
  return fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
}

/** Generates fractional numbers, and whole numbers if the limits include any. */
function numberWithin(shape: InputShape): fc.Arbitrary<number> {
  const { min, max } = limitsOf(shape)
  const fractions = fc.double({ min, max, noNaN: true })
  return Math.ceil(min) <= Math.floor(max) ? fc.oneof(integerWithin(shape), fractions) : fractions
}

const day = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })

function textOf({ like = '', reference }: InputShape): fc.Arbitrary<unknown> {
  if (like.startsWith('a day')) return day.map((d) => d.toISOString().slice(0, 10))
  if (like.startsWith('an instant')) return day.map((d) => d.toISOString())
  if (like.startsWith('an email')) return fc.emailAddress()
  if (reference) return fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 })
  return fc.string({ unit: character, maxLength: 40 })
}

/** Generates characters, including those that databases, patterns and parsers often misread. */
const character = fc.oneof(
  { weight: 30, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom('\u0000', '\ud800', '\u202e', '%', '\\', "'", '"', '\n') },
)

type Holder = Record<string, unknown>

/** Sometimes removes an argument, adds one, or replaces a value at any depth by junk. */
const withMutations = (args: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(args, fc.array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'add'), junk), { maxLength: 3 }))
    .map(([made, changes]) => changes.reduce<unknown>((value, [at, change, planted]) => altered(value, at, change, planted), made))

function altered(value: unknown, at: number, change: string, planted: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return planted
  const keys = Object.keys(value)
  const key = keys[at % Math.max(1, keys.length)]
  if (key === undefined || change === 'add') return { ...value, [`extra${at % 7}`]: planted }
  const { [key]: old, ...rest } = value as Holder
  if (change === 'remove') return rest
  return { ...rest, [key]: at % 3 === 0 ? altered(old, at >> 2, change, planted) : planted }
}

const HEADERS = [
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'accept',
  'content-type',
  'mcp-session-id',
  'x-participant-session',
  'x-noise',
]
const headerValue = fc.oneof(
  fc.constantFrom('', '2026-07-28', '2025-11-25', '1999-01-01', 'tools/list', 'application/json', '*/*', '=?base64?eA==?=', '=?base64?!?='),
  fc.string({ unit: fc.integer({ min: 33, max: 126 }).map((c) => String.fromCharCode(c)), maxLength: 30 }),
)

/** Sometimes breaks the message itself: other headers, other ids, additional members, members of a wrong type, or truncation. */
const withNoise = (message: fc.Arbitrary<RpcMessage>): fc.Arbitrary<RpcMessage> =>
  fc
    .tuple(
      message,
      fc.oneof(
        { weight: 4, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...HEADERS), headerValue, { maxKeys: 2 }) },
      ),
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.tuple(fc.constantFrom('id', 'jsonrpc', 'method', 'params', 'result', 'error', 'extra'), junk) },
      ),
      fc.oneof({ weight: 20, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(60) }),
    )
    .map(([{ headers, body }, otherHeaders, member, cut]) => {
      const changed = member ? { ...(body as object), [member[0]]: member[1] } : body
      const text = JSON.stringify(changed)
      return { headers: { ...headers, ...otherHeaders }, body: cut === null ? text : text.slice(0, cut) }
    })

const METHODS = [
  'tools/list',
  'ping',
  'initialize',
  'server/discover',
  'prompts/list',
  'resources/read',
  'tasks/get',
  'logging/setLevel',
  'notifications/cancelled',
  '',
  '__proto__',
]

/** Random messages: mostly tool calls with almost valid arguments, and some malformed ones. */
export function randomMessage(tools: readonly Tool[]): fc.Arbitrary<RpcMessage> {
  const era = fc.constantFrom(buildLegacyMessage, buildModernMessage)
  const calls = fc
    .constantFrom(...tools)
    .chain((tool) =>
      fc
        .tuple(era, withMutations(argumentsFor(tool.shape)), fc.oneof(fc.nat(), fc.string()))
        .map(([message, args, id]) => message('tools/call', toolCallParams(tool.name, args), id)),
    )
  const others = fc
    .tuple(era, fc.constantFrom(...METHODS), fc.dictionary(fc.string(), junk, { maxKeys: 3 }), junk)
    .map(([message, method, params, id]) => message(method, params, id))
  const strangers = fc
    .tuple(era, fc.string(), junk)
    .map(([message, name, args]) => message('tools/call', toolCallParams(toHeaderValue(name), args)))
  return withNoise(fc.oneof({ weight: 8, arbitrary: calls }, { weight: 1, arbitrary: others }, { weight: 1, arbitrary: strangers }))
}

/** The tool name is also sent in a header, which allows printable ASCII only. */
const toHeaderValue = (name: string) => name.replaceAll(/[^ -~]/g, '?').trim()
