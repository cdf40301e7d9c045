import { indexConfigItems } from '../configuration/items.ts'
import { isJsonObject, isPathUnder, toPointer, toPointerSegment } from '../configuration/pointers.ts'
import { type ConfigReference, listReferences } from '../configuration/references.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from '../configuration/schema/nodes.ts'

interface PrunedDocument {
  document: ConfigDocument
  /** Paths of the references that were removed or cleared, because the item they refer to was removed. */
  cleared: string[]
}

/**
 * Placeholders in the rewritten document. REMOVED stands for a removed value. REMOVED_ITEM stands for a removed required value, so that the
 * item around it is removed too.
 */
const REMOVED = Symbol('gone')
const REMOVED_ITEM = Symbol('no item')

/** Returns the document without retired items and without references to them. */
export function removeRetiredItems(document: ConfigDocument): PrunedDocument {
  const retired = listRetiredItems(document)
  if (retired.length === 0) return { document, cleared: [] }
  const left = removeReferences(document, ({ to }) => to !== null && retired.some((path) => isPathUnder(to, path)))
  return { document: pruneRetired(left.document), cleared: left.cleared.filter((path) => !retired.some((item) => isPathUnder(path, item))) }
}

const isRetired = (value: unknown) => isJsonObject(value) && value.retired === true

const listRetiredItems = (document: ConfigDocument): string[] =>
  dropNestedPaths([...indexConfigItems(document)].filter(([, { retired }]) => retired).map(([path]) => path))

function pruneRetired(document: ConfigDocument): ConfigDocument {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => !isRetired(item)).map(visit)
    return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, visit(part)])) : value
  }
  return visit(document) as ConfigDocument
}

/** Names of configuration lists that mean "all" when they are empty, so removing their last reference would change their meaning. */
const EMPTY_IS_ALL = new Set(['products', 'flows', 'choices', 'productCodes'])

/**
 * Removes references from a document. Optional values are cleared. An item that needs the reference (a widget without its policy, a
 * discount whose products are all removed) is removed as a whole. Conditions and merge fields stay, because an organizer must decide how to
 * change them.
 */
export function removeReferences(document: ConfigDocument, isGone: (reference: ConfigReference) => boolean): PrunedDocument {
  const removedPaths = new Set(
    listReferences(document)
      .filter((reference) => (reference.kind === 'reference' || reference.kind === 'binding') && isGone(reference))
      .map(({ from }) => from),
  )
  if (removedPaths.size === 0) return { document, cleared: [] }
  const cleared: string[] = []
  const visit = (bare: ConfigNode, value: unknown, path: string): unknown => {
    const node = resolveUnionNode(bare, value)
    if (node.kind === 'value') return removedPaths.has(path) ? REMOVED : value
    if (node.kind === 'list' && Array.isArray(value)) {
      return value.flatMap((item, index) => {
        const at = path + toPointer([toPointerSegment(item, index, node.key)])
        const next = visit(node.item, item, at)
        if (next !== REMOVED && next !== REMOVED_ITEM) return [next]
        cleared.push(at)
        return []
      })
    }
    return node.kind === 'object' && isJsonObject(value) ? visitObject(node.fields, value, path) : value
  }
  const visitObject = (fields: ReadonlyMap<string, ConfigNode>, value: Record<string, unknown>, path: string): unknown => {
    const parts: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) {
      const field = fields.get(name)
      const next = field ? visit(field, part, path + toPointer([name])) : part
      const emptied = EMPTY_IS_ALL.has(name) && field?.kind === 'list' && field.key === null && becameEmpty(part, next)
      if (emptied || next === REMOVED_ITEM || (next === REMOVED && field?.default === undefined)) return REMOVED_ITEM
      if (next === REMOVED) cleared.push(path + toPointer([name]))
      else parts.push([name, next])
    }
    return Object.fromEntries(parts)
  }
  const next = visit(ROOT_NODE, document, '') as ConfigDocument
  return { document: next, cleared: dropNestedPaths(cleared) }
}

/** Leaves out configuration paths that are below another of the given paths. */
const dropNestedPaths = (paths: readonly string[]) =>
  paths.filter((path) => !paths.some((other) => other !== path && isPathUnder(path, other))).toSorted()

const becameEmpty = (before: unknown, after: unknown) =>
  Array.isArray(before) && before.length > 0 && Array.isArray(after) && after.length === 0
