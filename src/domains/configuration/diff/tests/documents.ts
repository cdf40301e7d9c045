import { isJsonObject } from '../../pointers.ts'
import type { ConfigDocument } from '../../schema/event-config.ts'
import { findChildNode, type ConfigNode, type ListNode, resolveUnionNode, ROOT_NODE } from '../../schema/nodes.ts'
import { toStoredDocument } from '../../stored.ts'

/** Generates random documents and edits from the schema alone, so that sections and properties added later are covered automatically. */

export type Random = () => number

/** Returns a Mulberry32 generator: deterministic random numbers from a seed. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const upTo = (random: Random, most: number) => Math.floor(random() * (most + 1))
const oneOf = <T>(random: Random, values: readonly T[]): T => values[upTo(random, values.length - 1)]!

const TEXTS = ['Gala', 'Gala dinner', 'a/b~c', 'Köln 🎉', 'x', '0', 'The quick brown fox jumps over the lazy dog', 'line\nbreak']
const CONDITIONS = [
  { all: [{ binding: '@custom.diet', op: 'equals', value: 'vegan' }] },
  { any: [{ binding: '@custom.diet', op: 'isSet' }, { all: [{ binding: '@flow.slug', op: 'in', value: ['a', 'b'] }] }] },
]
/** Keys for generated items. There are few, so that two documents share some; they include keys that look like indexes or need escaping. */
const KEYS = ['0', '1', 'a', 'b', 'c', 'd', 'vip', 'gala', 'x-1', 'x-2']
const POINTERS = ['/details/name', '/products/a/name', '/tags/~1b/name']

export function randomDocument(random: Random, size = 4): ConfigDocument {
  const document: Record<string, unknown> = {}
  for (const [name, node] of ROOT_NODE.fields)
    if (name === 'details' || random() < 0.5) document[name] = randomValue(node, random, size, name)
  return toStoredDocument(document)
}

function randomValue(given: ConfigNode, random: Random, size: number, name: string): unknown {
  const node = given.kind === 'union' ? oneOf(random, [...given.options.values()]) : given
  if (node.kind === 'object') {
    const fields = [...node.fields].filter(([, field]) => field.default === undefined || random() < 0.3)
    return Object.fromEntries(fields.map(([own, field]) => [own, randomValue(field, random, size, own)]))
  }
  if (node.kind === 'record') {
    const keys = name === 'translations' && node.value.kind === 'record' ? ['de', 'fr', 'pt-BR'] : POINTERS
    return Object.fromEntries(keys.filter(() => random() < 0.5).map((key) => [key, randomValue(node.value, random, size, key)]))
  }
  if (node.kind === 'list')
    return Array.from({ length: upTo(random, size) }, () => randomValue(node.item, random, Math.max(1, size - 1), name)).filter(
      distinct(node),
    )
  return randomLeaf(node, random)
}

/** Returns a filter that drops items with a repeated key, because pointers could not identify them. */
function distinct({ key }: ListNode): (item: unknown) => boolean {
  const seen = new Set<unknown>()
  return (item) => {
    if (key === null) return true
    const own = (item as Record<string, unknown>)[key]
    return !seen.has(own) && Boolean(seen.add(own))
  }
}

function randomLeaf(node: Extract<ConfigNode, { kind: 'value' }>, random: Random): unknown {
  if (node.annotations.condition) return oneOf(random, CONDITIONS)
  if (node.allowed) return oneOf(random, node.allowed)
  if (node.valueType === 'boolean') return random() < 0.5
  if (node.valueType === 'integer') return upTo(random, 20)
  if (node.valueType === 'number') return upTo(random, 40) / 4
  if (node.valueType === 'union' || node.valueType === 'text or number') return oneOf(random, [1, 2.5, 'text', true, ['a', 'b']])
  return random() < 0.6 ? oneOf(random, KEYS) : oneOf(random, TEXTS)
}

interface Spot {
  node: ConfigNode
  value: Record<string, unknown> | unknown[]
}

/** Changes some values, items and positions, as an organizer would. */
export function randomlyEdited(document: ConfigDocument, random: Random, edits: number): ConfigDocument {
  const copy = structuredClone(document)
  for (let i = 0; i < edits; i++) edit(oneOf(random, spotsIn({ node: ROOT_NODE, value: copy as Record<string, unknown> })), random)
  return toStoredDocument(copy)
}

function spotsIn(spot: Spot): Spot[] {
  const below = Object.entries(spot.value).flatMap(([name, part]): Spot[] => {
    const node = findChildNode(spot.node, name, spot.value)
    return node && typeof part === 'object' && part !== null && node.kind !== 'value'
      ? spotsIn({ node: resolveUnionNode(node, part), value: part as Spot['value'] })
      : []
  })
  return [spot, ...below]
}

function edit({ node, value }: Spot, random: Random): void {
  if (Array.isArray(value)) return node.kind === 'list' ? editList(node, value, random) : undefined
  if (node.kind === 'object') {
    const [name, field] = oneOf(random, [...node.fields])
    const isKey = name === 'code' || name === 'slug' || name === 'id' || name === 'type'
    if (isKey) return
    if (field.default !== undefined && random() < 0.3) delete value[name]
    else value[name] = randomValue(field, random, 2, name)
  } else if (node.kind === 'record') {
    const name = oneOf(random, node.value.kind === 'record' ? ['de', 'ja'] : POINTERS)
    if (random() < 0.5) delete value[name]
    else value[name] = randomValue(node.value, random, 2, name)
  }
}

function editList(node: ListNode, items: unknown[], random: Random): void {
  const at = upTo(random, items.length)
  const what = random()
  if (what < 0.25) items.splice(at, 0, randomValue(node.item, random, 2, ''))
  else if (what < 0.5) items.splice(at, 1)
  else if (what < 0.8) items.splice(at, 0, ...items.splice(upTo(random, items.length), 1))
  else if (node.key !== null && isJsonObject(items[at])) items[at] = { ...items[at], [node.key]: oneOf(random, KEYS) }
  else if (items.length > 0) items[at % items.length] = randomValue(node.item, random, 2, '')
  const kept = items.filter(distinct(node))
  items.splice(0, items.length, ...kept)
}
