import { findMostSimilarName } from '../../../kernel/nearest.ts'
import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { getAnswerTypeLookup, listParticipantDataFields, listMergeFieldNames } from '../data-fields.ts'
import type { ConfigIssue } from '../issues.ts'
import { type KeyedItem, findEnclosingItem, indexConfigItems } from '../items.ts'
import { listChildNames, followPointer, parsePointer } from '../pointers.ts'
import { type ConfigReference, listReferences } from '../references.ts'
import type { ConfigDocument, EventConfig } from '../schema/event-config.ts'
import type { ExternalRecords } from './external-records.ts'

const TARGET_NOUNS: Record<string, string> = {
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

/** Finds references to items that are missing, retired or of the wrong kind. */
export function* findBrokenReferencesInParts(
  document: ConfigDocument,
  config: EventConfig,
  externalRecords: ExternalRecords,
): CooperativeTask<ConfigIssue[]> {
  const tokens = listMergeFieldNames(config)
  const items = indexConfigItems(document)
  const typeOf = getAnswerTypeLookup(config)
  const suggest = buildSuggest(document, config, externalRecords, tokens)
  yield
  const issuesAt = (reference: ConfigReference): ConfigIssue[] => {
    if (reference.target === 'token')
      return tokens.has(reference.written) ? [] : [unknown(reference, 'unknownToken', 'merge token', suggest)]
    if (reference.target === 'binding')
      return isKnown(reference, typeOf) ? [] : [unknown(reference, 'unknownBinding', 'data field', suggest)]
    if (reference.target === 'files') return fileIssues(externalRecords.files.get(reference.written), reference)
    if (reference.target === 'directory') {
      return externalRecords.connections.has(reference.written)
        ? []
        : [unknown(reference, 'unknownConnection', 'directory connection', suggest)]
    }
    return targetIssues(items, reference, suggest)
  }
  const issues: ConfigIssue[] = []
  for (const reference of listReferences(document, { translations: false })) {
    yield
    issues.push(...issuesAt(reference))
  }
  return issues
}

/** Returns the existing name that the author of a broken reference most likely meant, or null. */
type Suggest = (reference: ConfigReference) => string | null

/**
 * Builds the function that suggests names for broken references. Lists of names and results are cached, because removing an item may leave
 * hundreds of identical broken references.
 */
function buildSuggest(
  document: ConfigDocument,
  config: EventConfig,
  externalRecords: ExternalRecords,
  tokens: ReadonlySet<string>,
): Suggest {
  const lists = new Map<string, readonly string[]>()
  const found = new Map<string, string | null>()
  const namesIn = (list: string): readonly string[] => {
    if (list === 'token') return [...tokens]
    if (list === 'binding') return listParticipantDataFields(config).map(({ binding }) => binding)
    if (list === 'directory') return [...externalRecords.connections.keys()]
    const { location, left } = followPointer(document, parsePointer(list))
    return left.length === 0 ? listChildNames(location) : []
  }
  return ({ to, target, written }) => {
    const list = target === 'token' || target === 'binding' || to === null ? target : to.slice(0, to.lastIndexOf('/'))
    const key = `${list} ${written}`
    if (!found.has(key)) {
      const names = lists.get(list) ?? namesIn(list)
      lists.set(list, names)
      found.set(key, findMostSimilarName(written, names))
    }
    return found.get(key)!
  }
}

const isKnown = ({ written, kind }: ConfigReference, typeOf: (binding: string) => unknown) =>
  typeOf(written) !== null && (kind === 'condition' || (written !== '@participant.tags' && written !== '@flow.slug'))

function targetIssues(items: ReadonlyMap<string, KeyedItem>, reference: ConfigReference, suggest: Suggest): ConfigIssue[] {
  const { to, written, target, category, kind, from } = reference
  const what = TARGET_NOUNS[target] ?? target
  if (to === null) return target === 'choices' ? [missing(reference, 'noChoices', 'the field has no choices')] : []
  const found = items.get(to)
  if (!found) return [unknown(reference, 'missing', what, suggest)]
  // Other retired items, and conditions on earlier answers, may refer to a retired item (such as a product or a tag).
  if (found.retired && kind !== 'condition' && !findEnclosingItem(items, from)?.retired) {
    return [missing(reference, 'retired', `The ${what} ${JSON.stringify(written)} is retired`)]
  }
  if (category && found.value.category !== category) {
    return [missing(reference, 'wrongCategory', `${written} is of category ${String(found.value.category)}; ${category} is required here`)]
  }
  return []
}

function fileIssues(file: { mime: string } | undefined, reference: ConfigReference): ConfigIssue[] {
  const { written, mime = '' } = reference
  if (!file) return [missing(reference, 'unknownFile', `No file ${written} in the library of this event`)]
  if (file.mime.startsWith(mime)) return []
  const needed = mime.endsWith('/') ? 'an image' : mime
  return [missing(reference, 'wrongFile', `The file ${written} is ${file.mime}; ${needed} is required here`)]
}

const missing = ({ from, written }: ConfigReference, code: string, message: string): ConfigIssue => ({
  level: 'reference',
  code,
  path: from,
  message,
  value: written,
})

function unknown(reference: ConfigReference, code: string, what: string, suggest: Suggest): ConfigIssue {
  const near = suggest(reference)
  return {
    ...missing(reference, code, `No ${what} ${JSON.stringify(reference.written)}${near ? ` — did you mean ${near}?` : ''}`),
    ...(near ? { hint: near } : {}),
  }
}
