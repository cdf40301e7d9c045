import { itemsOf } from '../configuration/items.ts'
import { isRecord, isUnder, pointerOf, segmentOf } from '../configuration/pointers.ts'
import { type Reference, referencesIn } from '../configuration/references.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { type ConfigNode, nodeFor, ROOT } from '../configuration/schema/nodes.ts'

interface Left {
  document: ConfigDocument
  /** What was taken out or emptied because what it named is gone. */
  cleared: string[]
}

/** Nothing stands here any more, or, of a required value, not in the item around it either. */
const GONE = Symbol('gone')
const NO_ITEM = Symbol('no item')

/** The document without retired items, and without what named them. */
export function withoutRetired(document: ConfigDocument): Left {
  const retired = retiredIn(document)
  if (retired.length === 0) return { document, cleared: [] }
  const left = withoutReferences(document, ({ to }) => to !== null && retired.some((path) => isUnder(to, path)))
  return { document: pruned(left.document), cleared: left.cleared.filter((path) => !retired.some((item) => isUnder(path, item))) }
}

const isRetired = (value: unknown) => isRecord(value) && value.retired === true

const retiredIn = (document: ConfigDocument): string[] =>
  outermost([...itemsOf(document)].filter(([, { retired }]) => retired).map(([path]) => path))

function pruned(document: ConfigDocument): ConfigDocument {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => !isRetired(item)).map(visit)
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, visit(part)])) : value
  }
  return visit(document) as ConfigDocument
}

/** Left empty, these lists would mean everything instead of nothing. */
const EMPTY_IS_ALL = new Set(['products', 'flows', 'choices', 'productCodes'])

/**
 * The document without some of its references. What may do without is emptied; an item that cannot (a widget without its policy, a discount
 * whose products are all gone) is left out as a whole. Conditions and merge tokens stay: what they would say without is for people to decide.
 */
export function withoutReferences(document: ConfigDocument, isGone: (reference: Reference) => boolean): Left {
  const gone = new Set(
    referencesIn(document)
      .filter((reference) => (reference.kind === 'reference' || reference.kind === 'binding') && isGone(reference))
      .map(({ from }) => from),
  )
  if (gone.size === 0) return { document, cleared: [] }
  const cleared: string[] = []
  const visit = (bare: ConfigNode, value: unknown, path: string): unknown => {
    const node = nodeFor(bare, value)
    if (node.kind === 'value') return gone.has(path) ? GONE : value
    if (node.kind === 'list' && Array.isArray(value)) {
      return value.flatMap((item, index) => {
        const at = path + pointerOf([segmentOf(item, index, node.key)])
        const next = visit(node.item, item, at)
        if (next !== GONE && next !== NO_ITEM) return [next]
        cleared.push(at)
        return []
      })
    }
    return node.kind === 'object' && isRecord(value) ? visitObject(node.fields, value, path) : value
  }
  const visitObject = (fields: ReadonlyMap<string, ConfigNode>, value: Record<string, unknown>, path: string): unknown => {
    const parts: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) {
      const field = fields.get(name)
      const next = field ? visit(field, part, path + pointerOf([name])) : part
      const emptied = EMPTY_IS_ALL.has(name) && field?.kind === 'list' && field.key === null && isEmptied(part, next)
      if (emptied || next === NO_ITEM || (next === GONE && field?.default === undefined)) return NO_ITEM
      if (next === GONE) cleared.push(path + pointerOf([name]))
      else parts.push([name, next])
    }
    return Object.fromEntries(parts)
  }
  const next = visit(ROOT, document, '') as ConfigDocument
  return { document: next, cleared: outermost(cleared) }
}

/** What went with something around it need not be told too. */
const outermost = (paths: readonly string[]) =>
  paths.filter((path) => !paths.some((other) => other !== path && isUnder(path, other))).toSorted()

const isEmptied = (before: unknown, after: unknown) =>
  Array.isArray(before) && before.length > 0 && Array.isArray(after) && after.length === 0
