import { formatCount } from './labels.ts'
import { isPathUnder, parsePointer } from './pointers.ts'
import type { ConfigReference } from './references.ts'

/** The number of records (answers, orders, participants) that use a configuration item. */
export interface RecordUseCount {
  kind: string
  count: number
}

export type ItemUsage = {
  /** The usage in words, for example "1 flow, 2 products, 120 participants". */
  summary: string
  referencedBy: string[]
  records: RecordUseCount[]
}

/** Nouns for configuration items, by path prefix, with the number of path segments that identify an item. */
const NOUNS: readonly (readonly [prefix: string, noun: string, segments: number])[] = [
  ['/flows', 'flow', 2],
  ['/products', 'product', 2],
  ['/customFields', 'field', 2],
  ['/discounts', 'discount', 2],
  ['/policies', 'policy', 2],
  ['/emails', 'email', 2],
  ['/surveys', 'survey', 2],
  ['/onsite/gates', 'gate', 3],
  ['/automation/reminders', 'reminder', 3],
  ['/badge/fields', 'badge field', 3],
  ['/exhibitorConfig/boothSizes', 'booth size', 3],
  ['/exhibitorConfig/categories', 'category', 3],
  ['/exhibitorConfig', 'exhibitor setting', 2],
  ['/housing', 'housing setting', 2],
  ['/sessions', 'session setting', 2],
  ['/translations', 'translation', 3],
]

/**
 * Lists the references to a location or to anything below it. References from within the location and its own translations do not count.
 */
export function describeConfigUsage(references: readonly ConfigReference[], path: string, records: readonly RecordUseCount[]): ItemUsage {
  const used = references.filter(
    ({ from, to, kind }) => to !== null && kind !== 'translation' && isPathUnder(to, path) && !isPathUnder(from, path),
  )
  const things = new Map<string, Set<string>>(NOUNS.map(([, noun]) => [noun, new Set()]))
  for (const { from } of used) {
    const [, noun, segments] = NOUNS.find(([prefix]) => isPathUnder(from, prefix)) ?? ['', 'setting', 2]
    things.set(noun, (things.get(noun) ?? new Set()).add(parsePointer(from).slice(0, segments).join('/')))
  }
  const kept = records.filter(({ count }) => count > 0)
  const parts = [...things].filter(([, each]) => each.size > 0).map(([noun, each]) => formatCount(each.size, noun))
  return {
    summary:
      [...parts, ...kept.map(({ kind, count }) => `${count} ${count === 1 ? kind.replace(/s$/, '') : kind}`)].join(', ') || 'not used',
    referencedBy: [...new Set(used.map(({ from }) => from))],
    records: kept,
  }
}
