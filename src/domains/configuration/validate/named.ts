import { nearest } from '../../../kernel/nearest.ts'
import type { InParts } from '../../../kernel/turns.ts'
import { bindingTypes, dataFieldsOf, knownTokens } from '../data-fields.ts'
import type { Issue } from '../issues.ts'
import { type Item, itemAround, itemsOf } from '../items.ts'
import { childNames, follow, parsePointer } from '../pointers.ts'
import { type Reference, referencesIn } from '../references.ts'
import type { ConfigDocument, EventConfig } from '../schema/event-config.ts'
import type { Surroundings } from './surroundings.ts'

const WHAT: Record<string, string> = {
  tags: 'tag',
  customFields: 'custom field',
  products: 'product',
  taxes: 'tax',
  policies: 'policy',
  discounts: 'discount',
  flows: 'flow',
  emails: 'email',
  boothSizes: 'booth size',
  categories: 'category',
  tracks: 'track',
  formats: 'format',
  choices: 'choice',
  pages: 'page',
}

/** Everything that names something which is not there, no longer offered, or of another kind. */
export function* namedInParts(document: ConfigDocument, config: EventConfig, around: Surroundings): InParts<Issue[]> {
  const tokens = knownTokens(config)
  const items = itemsOf(document)
  const typeOf = bindingTypes(config)
  const suggest = suggestions(document, config, around, tokens)
  yield
  const issuesAt = (reference: Reference): Issue[] => {
    if (reference.target === 'token')
      return tokens.has(reference.written) ? [] : [unknown(reference, 'unknownToken', 'merge token', suggest)]
    if (reference.target === 'binding')
      return isKnown(reference, typeOf) ? [] : [unknown(reference, 'unknownBinding', 'data field', suggest)]
    if (reference.target === 'files') return fileIssues(around.files.get(reference.written), reference)
    if (reference.target === 'directory') {
      return around.connections.has(reference.written) ? [] : [unknown(reference, 'unknownConnection', 'directory connection', suggest)]
    }
    return targetIssues(items, reference, suggest)
  }
  const issues: Issue[] = []
  for (const reference of referencesIn(document, { translations: false })) {
    yield
    issues.push(...issuesAt(reference))
  }
  return issues
}

/** What was most likely meant, if anything. */
type Suggest = (reference: Reference) => string | null

/** When an item goes, hundreds of places may name it in vain, all in the same words: each list is made once, and each word looked up once. */
function suggestions(document: ConfigDocument, config: EventConfig, around: Surroundings, tokens: ReadonlySet<string>): Suggest {
  const lists = new Map<string, readonly string[]>()
  const found = new Map<string, string | null>()
  const namesIn = (list: string): readonly string[] => {
    if (list === 'token') return [...tokens]
    if (list === 'binding') return dataFieldsOf(config).map(({ binding }) => binding)
    if (list === 'directory') return [...around.connections.keys()]
    const { place, left } = follow(document, parsePointer(list))
    return left.length === 0 ? childNames(place) : []
  }
  return ({ to, target, written }) => {
    const list = target === 'token' || target === 'binding' || to === null ? target : to.slice(0, to.lastIndexOf('/'))
    const key = `${list} ${written}`
    if (!found.has(key)) {
      const names = lists.get(list) ?? namesIn(list)
      lists.set(list, names)
      found.set(key, nearest(written, names))
    }
    return found.get(key)!
  }
}

const isKnown = ({ written, kind }: Reference, typeOf: (binding: string) => unknown) =>
  typeOf(written) !== null && (kind === 'condition' || (written !== '@participant.tags' && written !== '@flow.slug'))

function targetIssues(items: ReadonlyMap<string, Item>, reference: Reference, suggest: Suggest): Issue[] {
  const { to, written, target, category, kind, from } = reference
  const what = WHAT[target] ?? target
  if (to === null) return target === 'choices' ? [missing(reference, 'noChoices', 'the field has no choices')] : []
  const found = items.get(to)
  if (!found) return [unknown(reference, 'missing', what, suggest)]
  // What is retired itself may go on naming what is retired, and a retired choice may stay in a condition for the old answers.
  if (found.retired && kind !== 'condition' && !itemAround(items, from)?.retired) {
    return [missing(reference, 'retired', `The ${what} ${JSON.stringify(written)} is retired`)]
  }
  if (category && found.value.category !== category) {
    return [missing(reference, 'wrongCategory', `${written} is of category ${String(found.value.category)}; ${category} is needed here`)]
  }
  return []
}

function fileIssues(file: { mime: string } | undefined, reference: Reference): Issue[] {
  const { written, mime = '' } = reference
  if (!file) return [missing(reference, 'unknownFile', `No file ${written} in the library of this event`)]
  if (file.mime.startsWith(mime)) return []
  const needed = mime.endsWith('/') ? 'a picture' : mime
  return [missing(reference, 'wrongFile', `The file ${written} is ${file.mime}; ${needed} is needed here`)]
}

const missing = ({ from, written }: Reference, code: string, message: string): Issue => ({
  level: 'reference',
  code,
  path: from,
  message,
  value: written,
})

function unknown(reference: Reference, code: string, what: string, suggest: Suggest): Issue {
  const near = suggest(reference)
  return {
    ...missing(reference, code, `No ${what} ${JSON.stringify(reference.written)}${near ? ` — did you mean ${near}?` : ''}`),
    ...(near ? { hint: near } : {}),
  }
}
