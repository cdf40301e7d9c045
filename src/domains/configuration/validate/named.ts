import { nearest } from '../../../kernel/nearest.ts'
import { bindingTypes, dataFieldsOf, knownTokens } from '../data-fields.ts'
import type { Issue } from '../issues.ts'
import { type Item, itemAround, itemsOf } from '../items.ts'
import { parsePointer } from '../pointers.ts'
import { type Reference, referencesIn } from '../references.ts'
import type { ConfigDocument, EventConfig } from '../schema/event-config.ts'
import type { Surroundings } from './surroundings.ts'

const WHAT: Record<string, string> = {
  tags: 'tag',
  customFields: 'custom field',
  products: 'product',
  taxes: 'tax',
  policies: 'policy',
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
export function namedIssues(document: ConfigDocument, config: EventConfig, around: Surroundings): Issue[] {
  const tokens = knownTokens(config)
  const items = itemsOf(document)
  const typeOf = bindingTypes(config)
  return referencesIn(document, { translations: false }).flatMap((reference) => {
    if (reference.target === 'token')
      return tokens.has(reference.written) ? [] : [unknown(reference, 'unknownToken', 'merge token', [...tokens])]
    if (reference.target === 'binding')
      return isKnown(reference, typeOf) ? [] : [unknown(reference, 'unknownBinding', 'data field', bindingsOf(config))]
    if (reference.target === 'files') {
      return around.files.has(reference.written)
        ? []
        : [missing(reference, 'unknownFile', `No file ${reference.written} in the library of this event`)]
    }
    if (reference.target === 'directory') {
      return around.connections.has(reference.written)
        ? []
        : [unknown(reference, 'unknownConnection', 'directory connection', [...around.connections.keys()])]
    }
    return targetIssues(items, reference)
  })
}

const bindingsOf = (config: EventConfig) => dataFieldsOf(config).map(({ binding }) => binding)

const isKnown = ({ written, kind }: Reference, typeOf: (binding: string) => unknown) =>
  typeOf(written) !== null && (kind === 'condition' || (written !== '@participant.tags' && written !== '@flow.slug'))

function targetIssues(items: ReadonlyMap<string, Item>, reference: Reference): Issue[] {
  const { to, written, target, category, kind, from } = reference
  const what = WHAT[target] ?? target
  if (to === null) return target === 'choices' ? [missing(reference, 'noChoices', 'the field has no choices')] : []
  const found = items.get(to)
  if (!found) return [unknown(reference, 'missing', what, siblingsOf(items, to))]
  // What is retired itself may go on naming what is retired, and a retired choice may stay in a condition for the old answers.
  if (found.retired && kind !== 'condition' && !itemAround(items, from)?.retired) {
    return [missing(reference, 'retired', `The ${what} ${JSON.stringify(written)} is retired`)]
  }
  if (category && found.value.category !== category) {
    return [missing(reference, 'wrongCategory', `${written} is of category ${String(found.value.category)}; ${category} is needed here`)]
  }
  return []
}

function siblingsOf(items: ReadonlyMap<string, Item>, pointer: string): string[] {
  const list = pointer.slice(0, pointer.lastIndexOf('/') + 1)
  return [...items.keys()].filter((at) => at.startsWith(list) && !at.slice(list.length).includes('/')).map((at) => parsePointer(at).at(-1)!)
}

const missing = ({ from, written }: Reference, code: string, message: string): Issue => ({
  level: 'reference',
  code,
  path: from,
  message,
  value: written,
})

function unknown(reference: Reference, code: string, what: string, known: readonly string[]): Issue {
  const near = nearest(reference.written, known)
  return {
    ...missing(reference, code, `No ${what} ${JSON.stringify(reference.written)}${near ? ` — did you mean ${near}?` : ''}`),
    ...(near ? { hint: near } : {}),
  }
}
