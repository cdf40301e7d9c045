import { z } from 'zod'
import type { InParts } from '../../kernel/turns.ts'
import { isRecord } from './pointers.ts'
import { type ConfigNode, type ListNode, nodeFor, type ObjectNode, type RecordNode, unwrap } from './schema/nodes.ts'

export type Parsed = { ok: true; value: unknown } | { ok: false; issues: z.core.$ZodIssue[] }

type Path = readonly PropertyKey[]

interface Parsing {
  issues: z.core.$ZodIssue[]
}

/** Nobody mends more at once, and what is wrong from end to end would be told as long as it is. */
const MAX_ISSUES = 300
/** In values. What has fewer is parsed at once. */
const LARGE = 300

/** What was made of a part, for as long as somebody holds that part. Neither is ever changed, so an edit parses only what it changed. */
const kept = new WeakMap<object, { node: ConfigNode; value: unknown }>()

/**
 * What Zod makes of a value, part by part: between them others have their turn, and after some hundred issues it stops. Zod itself goes
 * through to the end of whatever it is given.
 */
export function* parseInParts(node: ConfigNode, value: unknown): InParts<Parsed> {
  const parsing: Parsing = { issues: [] }
  const parsed = yield* parse(parsing, node, value, [])
  return parsing.issues.length > 0 ? { ok: false, issues: parsing.issues } : { ok: true, value: parsed }
}

function* parse(parsing: Parsing, bare: ConfigNode, value: unknown, path: Path): InParts<unknown> {
  const node = nodeFor(bare, value)
  if (typeof value !== 'object' || value === null || !isLarge(value)) return parseWhole(parsing, bare, value, path)
  const known = kept.get(value)
  if (known?.node === bare) return known.value
  yield
  const before = parsing.issues.length
  const parsed = yield* parseLarge(parsing, node, value, path)
  if (parsing.issues.length === before) kept.set(value, { node: bare, value: parsed })
  return parsed
}

function* parseLarge(parsing: Parsing, node: ConfigNode, value: object, path: Path): InParts<unknown> {
  if (node.kind === 'list' && Array.isArray(value)) return yield* parseList(parsing, node, value, path)
  if (node.kind === 'object' && isRecord(value)) return yield* parseObject(parsing, node, value, path)
  if (node.kind === 'record' && isRecord(value)) return yield* parseRecord(parsing, node, value, path)
  return parseWhole(parsing, node, value, path)
}

/** Looks no further than it takes to know. */
function isLarge(value: unknown): boolean {
  let left = LARGE
  const fits = (part: unknown): boolean => {
    if (--left < 0) return false
    if (typeof part !== 'object' || part === null) return true
    if (Array.isArray(part)) return part.every(fits)
    for (const key in part) if (!fits((part as Record<string, unknown>)[key])) return false
    return true
  }
  return !fits(value)
}

function parseWhole(parsing: Parsing, node: ConfigNode, value: unknown, path: Path): unknown {
  const isObject = typeof value === 'object' && value !== null
  const known = isObject ? kept.get(value) : undefined
  if (known?.node === node) return known.value
  const parsed = node.type.safeParse(value)
  if (!parsed.success) return tell(parsing, parsed.error.issues as z.core.$ZodIssue[], path)
  if (isObject) kept.set(value, { node, value: parsed.data })
  return parsed.data
}

function tell(parsing: Parsing, issues: readonly z.core.$ZodIssue[], path: Path): undefined {
  for (const issue of issues.slice(0, MAX_ISSUES)) parsing.issues.push({ ...issue, path: [...path, ...issue.path] })
}

const isFull = ({ issues }: Parsing) => issues.length >= MAX_ISSUES

function* parseList(parsing: Parsing, node: ListNode, items: readonly unknown[], path: Path): InParts<unknown> {
  const before = parsing.issues.length
  const parsed: unknown[] = []
  for (const [index, item] of items.entries()) {
    if (index % 20 === 0) yield
    if (isFull(parsing)) return undefined
    const own = [...path, index]
    parsed.push(isLarge(item) ? yield* parse(parsing, node.item, item, own) : parseWhole(parsing, node.item, item, own))
  }
  return parsing.issues.length > before ? undefined : around(parsing, node, parsed, path)
}

function* parseObject(parsing: Parsing, node: ObjectNode, value: Record<string, unknown>, path: Path): InParts<unknown> {
  const before = parsing.issues.length
  const parsed: Record<string, unknown> = {}
  for (const [name, field] of node.fields) {
    if (isFull(parsing)) return undefined
    const part = yield* parse(parsing, field, value[name], [...path, name])
    if (part !== undefined) parsed[name] = part
  }
  const unknown = Object.keys(value).filter((name) => !node.fields.has(name))
  if (unknown.length > 0) tell(parsing, [{ code: 'unrecognized_keys', keys: unknown, path: [], message: 'Unrecognized keys' }], path)
  return parsing.issues.length > before ? undefined : around(parsing, node, parsed, path)
}

function* parseRecord(parsing: Parsing, node: RecordNode, value: Record<string, unknown>, path: Path): InParts<unknown> {
  const before = parsing.issues.length
  const parsed: Record<string, unknown> = {}
  for (const [index, [name, part]] of Object.entries(value).entries()) {
    if (index % 20 === 0) yield
    if (isFull(parsing)) return undefined
    // Both at once tell what is wrong with the name and with what it names.
    const large = isLarge(part)
    const own = (large ? shellOf(node) : unwrap(node.type).type).safeParse({ [name]: part })
    if (!own.success) tell(parsing, own.error.issues as z.core.$ZodIssue[], path)
    else Object.assign(parsed, own.data)
    if (large) parsed[name] = yield* parse(parsing, node.value, part, [...path, name])
  }
  return parsing.issues.length > before ? undefined : parsed
}

/** What the schema says of a list or object as a whole, such as how many items it has and that no two are alike. */
function around(parsing: Parsing, node: ListNode | ObjectNode, parts: unknown, path: Path): unknown {
  const checked = shellOf(node).safeParse(parts)
  return checked.success ? checked.data : tell(parsing, checked.error.issues as z.core.$ZodIssue[], path)
}

const shells = new WeakMap<ConfigNode, z.ZodType>()

/** The type of a place with its own rules, and none for what is in it. */
function shellOf(node: ListNode | ObjectNode | RecordNode): z.ZodType {
  const made = shells.get(node)
  if (made) return made
  const { type } = unwrap(node.type)
  const anything =
    node.kind === 'object'
      ? { shape: Object.fromEntries([...node.fields.keys()].map((name) => [name, z.unknown()])) }
      : node.kind === 'list'
        ? { element: z.unknown() }
        : { valueType: z.unknown() }
  const shell = (type as z.ZodUnknown).clone({ ...type.def, ...anything } as never)
  shells.set(node, shell)
  return shell
}
