import { z } from 'zod'
import type { CooperativeTask } from '../../kernel/cooperative.ts'
import { isJsonObject } from './pointers.ts'
import { type ConfigNode, type ListNode, resolveUnionNode, type ObjectNode, type RecordNode, unwrapZodType } from './schema/nodes.ts'

export type ParseResult = { ok: true; value: unknown } | { ok: false; issues: z.core.$ZodIssue[] }

type Path = readonly PropertyKey[]

interface Parsing {
  issues: z.core.$ZodIssue[]
}

/**
 * Maximum number of issues reported, enough for one round of fixes. A document that is wrong throughout would otherwise produce an
 * unbounded result.
 */
const MAX_ISSUES = 300
/** Number of nested values above which a value is parsed in parts. */
const LARGE_VALUE_COUNT = 300

/** Caches parse results by input object. Inputs and results are immutable, so only the parts that an edit changed are parsed again. */
const parsedParts = new WeakMap<object, { node: ConfigNode; value: unknown }>()

/**
 * Parses a value like Zod, but in parts, so that other requests run in between, and stops after a few hundred issues. Zod itself always
 * processes the whole value.
 */
export function* parseInParts(node: ConfigNode, value: unknown): CooperativeTask<ParseResult> {
  const parsing: Parsing = { issues: [] }
  const parsed = yield* parse(parsing, node, value, [])
  return parsing.issues.length > 0 ? { ok: false, issues: parsing.issues } : { ok: true, value: parsed }
}

function* parse(parsing: Parsing, bare: ConfigNode, value: unknown, path: Path): CooperativeTask<unknown> {
  const node = resolveUnionNode(bare, value)
  if (typeof value !== 'object' || value === null || !isLarge(value)) return parseWhole(parsing, bare, value, path)
  const known = parsedParts.get(value)
  if (known?.node === bare) return known.value
  yield
  const before = parsing.issues.length
  const parsed = yield* parseLarge(parsing, node, value, path)
  if (parsing.issues.length === before) parsedParts.set(value, { node: bare, value: parsed })
  return parsed
}

function* parseLarge(parsing: Parsing, node: ConfigNode, value: object, path: Path): CooperativeTask<unknown> {
  if (node.kind === 'list' && Array.isArray(value)) return yield* parseList(parsing, node, value, path)
  if (node.kind === 'object' && isJsonObject(value)) return yield* parseObject(parsing, node, value, path)
  if (node.kind === 'record' && isJsonObject(value)) return yield* parseRecord(parsing, node, value, path)
  return parseWhole(parsing, node, value, path)
}

/** Counts nested values and stops as soon as the limit is exceeded. */
function isLarge(value: unknown): boolean {
  let left = LARGE_VALUE_COUNT
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
  const known = isObject ? parsedParts.get(value) : undefined
  if (known?.node === node) return known.value
  const parsed = node.type.safeParse(value)
  if (!parsed.success) return addIssues(parsing, parsed.error.issues as z.core.$ZodIssue[], path)
  if (isObject) parsedParts.set(value, { node, value: parsed.data })
  return parsed.data
}

function addIssues(parsing: Parsing, issues: readonly z.core.$ZodIssue[], path: Path): undefined {
  for (const issue of issues.slice(0, MAX_ISSUES)) parsing.issues.push({ ...issue, path: [...path, ...issue.path] })
}

const isFull = ({ issues }: Parsing) => issues.length >= MAX_ISSUES

function* parseList(parsing: Parsing, node: ListNode, items: readonly unknown[], path: Path): CooperativeTask<unknown> {
  const before = parsing.issues.length
  const parsed: unknown[] = []
  for (const [index, item] of items.entries()) {
    if (index % 20 === 0) yield
    if (isFull(parsing)) return undefined
    const own = [...path, index]
    parsed.push(isLarge(item) ? yield* parse(parsing, node.item, item, own) : parseWhole(parsing, node.item, item, own))
  }
  return parsing.issues.length > before ? undefined : parseShell(parsing, node, parsed, path)
}

function* parseObject(parsing: Parsing, node: ObjectNode, value: Record<string, unknown>, path: Path): CooperativeTask<unknown> {
  const before = parsing.issues.length
  const parsed: Record<string, unknown> = {}
  for (const [name, field] of node.fields) {
    if (isFull(parsing)) return undefined
    const part = yield* parse(parsing, field, value[name], [...path, name])
    if (part !== undefined) parsed[name] = part
  }
  const unknown = Object.keys(value).filter((name) => !node.fields.has(name))
  if (unknown.length > 0) addIssues(parsing, [{ code: 'unrecognized_keys', keys: unknown, path: [], message: 'Unrecognized keys' }], path)
  return parsing.issues.length > before ? undefined : parseShell(parsing, node, parsed, path)
}

function* parseRecord(parsing: Parsing, node: RecordNode, value: Record<string, unknown>, path: Path): CooperativeTask<unknown> {
  const before = parsing.issues.length
  const parsed: Record<string, unknown> = {}
  for (const [index, [name, part]] of Object.entries(value).entries()) {
    if (index % 20 === 0) yield
    if (isFull(parsing)) return undefined
    // The key and the value of an object entry are parsed together, so that problems of both are reported.
    const large = isLarge(part)
    const own = (large ? getShell(node) : unwrapZodType(node.type).type).safeParse({ [name]: part })
    if (!own.success) addIssues(parsing, own.error.issues as z.core.$ZodIssue[], path)
    else Object.assign(parsed, own.data)
    if (large) parsed[name] = yield* parse(parsing, node.value, part, [...path, name])
  }
  return parsing.issues.length > before ? undefined : parsed
}

/** Applies the rules for a list or object as a whole, such as the number of items and unique keys. */
function parseShell(parsing: Parsing, node: ListNode | ObjectNode, parts: unknown, path: Path): unknown {
  const checked = getShell(node).safeParse(parts)
  return checked.success ? checked.data : addIssues(parsing, checked.error.issues as z.core.$ZodIssue[], path)
}

const shells = new WeakMap<ConfigNode, z.ZodType>()

/** Returns the Zod type of a list, object or record with its own rules, but without rules for its contents. */
function getShell(node: ListNode | ObjectNode | RecordNode): z.ZodType {
  const made = shells.get(node)
  if (made) return made
  const { type } = unwrapZodType(node.type)
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
