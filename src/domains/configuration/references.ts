import type { Condition, SingleCondition } from '../../kernel/conditions.ts'
import { MERGE_FIELD_PATTERN } from './merge-fields.ts'
import { isJsonObject, parsePointer, toPointer, toPointerSegment } from './pointers.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from './schema/nodes.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import type { ReferenceTarget, SchemaAnnotations } from './schema/builders.ts'
import { hasMatchingNode } from './walk.ts'

/** A reference from one path of the document to another: a code, binding, condition, merge field, or path of a translated text. */
export interface ConfigReference {
  /** The path that contains the reference. For a reference in a part of a condition, the path of the whole condition. */
  from: string
  kind: 'reference' | 'binding' | 'condition' | 'token' | 'translation'
  /** The pointer of the target within the document; null for database rows and for participant properties. */
  to: string | null
  /** The reference as it is written in the document: a code, a binding, a merge field or a pointer. */
  written: string
  target: ReferenceTarget | 'binding' | 'token' | 'pointer'
  /** The category that a referenced product must have. */
  category?: string | undefined
  /** The media type that a referenced file must have. */
  mime?: string | undefined
}

/** Returns the new pointer that the reference should have, or nothing to leave the reference unchanged. */
type Redirect = (reference: ConfigReference) => string | null | undefined | void

const SECTION_OF: Partial<Record<ReferenceTarget, string>> = {
  tags: '/tags',
  customFields: '/customFields',
  products: '/products',
  taxes: '/taxes',
  policies: '/policies',
  discounts: '/discounts',
  flows: '/flows',
  emails: '/emails',
  boothSizes: '/exhibitorConfig/boothSizes',
  categories: '/exhibitorConfig/categories',
  tracks: '/sessions/tracks',
  formats: '/sessions/formats',
}

const ENTITY_SECTIONS: Record<string, string> = { custom: '/customFields', product: '/products', policy: '/policies' }

/** Finds the pointer of a binding's custom field: `@custom.diet` and `custom.diet` refer to /customFields/diet. */
export function findConfigPointerOfField(binding: string): string | null {
  const [entity = '', name = ''] = binding.replace(/^@/, '').split('.')
  const section = ENTITY_SECTIONS[entity]
  return section && name ? section + toPointer([name]) : null
}

const choicesOf = (field: string) => `${SECTION_OF.customFields}${toPointer([field])}/choices`

const isLeaf = (node: Condition): node is SingleCondition => 'binding' in node

export function listReferences(document: ConfigDocument, { translations = true } = {}): ConfigReference[] {
  const found: ConfigReference[] = []
  rewriteConfigReferences(document, (reference) => void found.push(reference), { translations })
  return found
}

const fileIdCache = new WeakMap<ConfigDocument, readonly string[]>()

/** Lists the ids of the files that a document refers to. Documents are immutable, so the result is cached. */
export function listReferencedFiles(document: ConfigDocument): readonly string[] {
  const known = fileIdCache.get(document)
  if (known) return known
  const found = listReferences(document, { translations: false }).filter(({ target }) => target === 'files')
  const ids = [...new Set(found.map(({ written }) => written))]
  fileIdCache.set(document, ids)
  return ids
}

/** Whether a value at this schema node can contain a reference. */
const canReference = ({ annotations: { ref, binding, condition, leadField, answer, translatable } }: ConfigNode) =>
  Boolean(ref || binding || condition || leadField || answer || translatable)

/** Visits every reference and rewrites it if `redirect` returns another pointer. Unchanged parts are shared with the original. */
export function rewriteConfigReferences(
  document: ConfigDocument,
  redirect: Redirect,
  { translations: translated = true } = {},
): { document: ConfigDocument; rewritten: number } {
  let rewritten = 0
  const moved = (reference: ConfigReference): string | null => {
    const to = redirect(reference) ?? null
    return to !== null && to !== reference.to ? to : null
  }
  const lastOf = (pointer: string) => parsePointer(pointer).at(-1)!

  const refer = (
    path: string,
    target: ReferenceTarget,
    written: string,
    scope: Scope,
    { category, mime }: Pick<SchemaAnnotations, 'category' | 'mime'> = {},
  ): string => {
    const section = target === 'pages' ? scope.pages : target === 'choices' ? scope.choices : SECTION_OF[target]
    const to = moved({
      from: path,
      kind: 'reference',
      to: section ? section + toPointer([written]) : null,
      written,
      target,
      category,
      mime,
    })
    if (to === null || lastOf(to) === written) return written
    rewritten++
    return lastOf(to)
  }
  const bind = (path: string, binding: string, kind: 'binding' | 'condition' | 'token'): string => {
    const target = kind === 'token' ? 'token' : 'binding'
    const to = moved({ from: path, kind, to: findConfigPointerOfField(binding), written: binding, target })
    if (to === null) return binding
    const renamed = binding.replace(/^(@?[a-z]+\.)[^.]+/i, (_, start: string) => start + lastOf(to))
    if (renamed !== binding) rewritten++
    return renamed
  }
  // Merge fields occur only in emails. Elsewhere, braces are ordinary text.
  const withTokens = (path: string, text: string, owner = path): string =>
    owner.startsWith('/emails/') && text.includes('{{')
      ? text.replace(MERGE_FIELD_PATTERN, (whole, name: string) => whole.replace(name, bind(path, name, 'token')))
      : text

  const leaf = (path: string, one: SingleCondition): SingleCondition => {
    const binding = bind(path, one.binding, 'condition')
    const named = namedBy(one)
    const code = (value: unknown): unknown => {
      if (!named || typeof value !== 'string') return value
      const { target, list } = named
      // Discount codes are case-insensitive.
      const own = target === 'discounts' ? value.toLowerCase() : value
      const to = moved({ from: path, kind: 'condition', to: list + toPointer([own]), written: value, target })
      if (to === null || lastOf(to) === value) return value
      rewritten++
      return lastOf(to)
    }
    const value = Array.isArray(one.value) ? mapShared(one.value, code) : code(one.value)
    return binding === one.binding && value === one.value ? one : { ...one, binding, ...('value' in one ? { value } : {}) }
  }
  const choiceLists = new Set((document.customFields ?? []).filter((field) => field.choices?.length).map(({ code }) => choicesOf(code)))
  /**
   * Returns the list that the compared value of a condition refers to, such as the tags or the choices of a field; null if the value is
   * not a reference.
   */
  const namedBy = ({ binding, op }: SingleCondition): { target: ReferenceTarget; list: string } | null => {
    if (binding === '@participant.tags') return { target: 'tags', list: '/tags' }
    if (binding === '@flow.slug') return { target: 'flows', list: '/flows' }
    // `contains` matches a fragment, so the value is not a reference to a discount.
    if (binding === '@discount.code') return op === 'contains' ? null : { target: 'discounts', list: '/discounts' }
    const [entity, name = ''] = binding.slice(1).split('.')
    const list = choicesOf(name)
    return entity === 'custom' && choiceLists.has(list) ? { target: 'choices', list } : null
  }
  const answer = (path: string, value: unknown, scope: Scope): unknown => {
    if (!scope.choices || !choiceLists.has(scope.choices)) return value
    const code = (one: unknown) => (typeof one === 'string' ? refer(path, 'choices', one, scope) : one)
    return Array.isArray(value) ? mapShared(value as unknown[], code) : code(value)
  }
  const tree = (path: string, node: Condition): Condition => {
    if (!isJsonObject(node)) return node
    for (const key of ['all', 'any'] as const) {
      const inner = (node as Record<string, unknown>)[key]
      if (!Array.isArray(inner)) continue
      const mapped = mapShared(inner as Condition[], (one) => tree(path, one))
      return mapped === inner ? node : ({ [key]: mapped } as unknown as Condition)
    }
    return isLeaf(node) ? leaf(path, node) : node
  }

  const translations = (path: string, value: unknown): unknown =>
    mapRecord(value, (texts, locale) => {
      if (!isJsonObject(texts)) return texts
      const at = path + toPointer([locale])
      let changed = false
      const entries = inOrder(texts).map(([pointer, entry]): [string, unknown] => {
        const from = at + toPointer([pointer])
        const to = moved({ from, kind: 'translation', to: pointer, written: pointer, target: 'pointer' })
        const text = isJsonObject(entry) && typeof entry.text === 'string' ? withTokens(`${from}/text`, entry.text, pointer) : undefined
        const kept = text === undefined || text === (entry as { text: string }).text ? entry : { ...(entry as object), text }
        if (to !== null) rewritten++
        changed ||= to !== null || kept !== entry
        return [to ?? pointer, kept]
      })
      return changed ? Object.fromEntries(entries) : texts
    })

  const visit = (bare: ConfigNode, value: unknown, path: string, outer: Scope): unknown => {
    const node = resolveUnionNode(bare, value)
    if (path === '/translations') return translated ? translations(path, value) : value
    if (!hasMatchingNode(node, canReference)) return value
    if (node.annotations.condition) return value === null || value === undefined ? value : tree(path, value as Condition)
    if (node.kind === 'value') {
      if (node.annotations.answer) return answer(path, value, outer)
      if (typeof value !== 'string') return value
      if (node.annotations.ref) return refer(path, node.annotations.ref, value, outer, node.annotations)
      if (node.annotations.binding) return bind(path, value, 'binding')
      if (node.annotations.leadField && value.startsWith('cf:')) return `cf:${refer(path, 'customFields', value.slice(3), outer)}`
      return node.annotations.translatable ? withTokens(path, value) : value
    }
    if (node.kind === 'object' && isJsonObject(value)) {
      const scope = scopeAt(outer, node, value, path)
      const replaced: Record<string, unknown> = {}
      // Properties are visited in schema order, because their order in a stored document differs from that in an edited one.
      for (const [name, field] of node.fields) {
        if (!Object.hasOwn(value, name)) continue
        const next = visit(field, value[name], path + toPointer([name]), scope)
        if (next !== value[name]) replaced[name] = next
      }
      return Object.keys(replaced).length === 0 ? value : { ...value, ...replaced }
    }
    if (node.kind === 'list' && Array.isArray(value)) {
      return mapShared(value, (item, index) => visit(node.item, item, path + toPointer([toPointerSegment(item, index, node.key)]), outer))
    }
    return value
  }
  const next = visit(ROOT_NODE, document, '', {}) as ConfigDocument
  return { document: next, rewritten }
}

/**
 * The flow and the field around the current location. Codes of pages refer to pages of this flow, and codes of choices to choices of this
 * field.
 */
interface Scope {
  pages?: string
  choices?: string
}

function scopeAt(outer: Scope, node: ConfigNode, value: unknown, path: string): Scope {
  if (!isJsonObject(value)) return outer
  if (/^\/flows\/[^/]+$/.test(path)) return { pages: `${path}/pages` }
  if (value.type === 'field' && typeof value.binding === 'string' && node.kind === 'object' && node.fields.has('binding')) {
    const field = findConfigPointerOfField(value.binding)
    const { choices: _, ...rest } = outer
    return field ? { ...rest, choices: `${field}/choices` } : rest
  }
  return outer
}

/** Applies a function to every item of a list. Returns the same list if no item changed. */
function mapShared<T>(list: readonly T[], map: (item: T, index: number) => T): readonly T[] {
  let changed = false
  const mapped = list.map((item, index) => {
    const next = map(item, index)
    changed ||= next !== item
    return next
  })
  return changed ? mapped : list
}

function mapRecord(value: unknown, map: (part: unknown, name: string) => unknown): unknown {
  if (!isJsonObject(value)) return value
  let changed = false
  const entries = inOrder(value).map(([name, part]) => {
    const next = map(part, name)
    changed ||= next !== part
    return [name, next]
  })
  return changed ? Object.fromEntries(entries) : value
}

const inOrder = (record: Record<string, unknown>) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
