import type { EventContext } from '../../kernel/context.ts'
import { pageOf } from '../../kernel/page.ts'
import { inTurns } from '../../kernel/turns.ts'
import { diffDocuments } from '../configuration/diff/diff.ts'
import { labelOf, summaryOf } from '../configuration/labels.ts'
import { isRecord } from '../configuration/pointers.ts'
import { type Configuration, readConfig, readLive } from '../configuration/read.ts'
import { referencesIn } from '../configuration/references.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { fold } from '../configuration/search-texts.ts'
import { asVersion } from '../configuration/versions.ts'
import { recordUses } from '../registration/record-uses.ts'
import { checkSections, isSettings, type Item, itemNameOf, itemPathOf, copyableItems } from './item-places.ts'
import { namedBy } from './orphans.ts'

interface Request {
  section?: string | undefined
  search?: string | undefined
  version: string
  limit: number
  cursor?: string | undefined
}

/** What a configuration is made of, item by item, with what each needs and who needs it. */
export async function listConfigItems(ctx: EventContext, { section, search, version, limit, cursor }: Request) {
  if (section !== undefined) checkSections([section], 'section')
  const configuration = await readConfig(ctx, version, 'version')
  const { document, facts } = configuration
  const all = copyableItems(document)
  const found = all.filter((item) => (section === undefined || item.section === section) && (search === undefined || isFound(item, search)))
  const uses = usesIn(document)
  const order = new Map(all.map(({ path }, index) => [path, index]))
  const changed = await changedSince(ctx, configuration)
  const origins = new Map<Shown, Item>()
  const { items, ...page } = pageOf(
    ctx,
    { limit, cursor },
    {
      rows: found,
      shape: (item) => {
        const shown = shownItem(item, uses, { currency: facts.currency, order, changed: changed(item.path) })
        origins.set(shown, item)
        return shown
      },
      pin: configuration.version === null ? `draft ${facts.draftRevision}` : `version ${configuration.version}`,
      moved: 'belongs to an earlier state of the configuration; leave it out to start from page one',
    },
  )
  const rows = items.map((shown) => ({ shown, item: origins.get(shown)! }))
  const cut = rows.filter(({ item }) => (uses.needs.get(item.path)?.size ?? 0) > MAX_NEEDS)
  return {
    items: await withRecords(ctx, rows),
    sections: countedBySection(found),
    total: found.length,
    ...page,
    ...(cut.length > 0 ? { truncated: true as const, note: cutNote(cut[0]!.item, uses, page.note) } : {}),
  }
}

/** A flow may need more than one result can hold. */
const MAX_NEEDS = 500

function cutNote({ path }: Item, { needs }: Uses, note: string | undefined): string {
  const own = `dependsOn shows ${MAX_NEEDS} of the ${needs.get(path)!.size} items that ${path} needs: config_explore shows what it names.`
  return note === undefined ? own : `${note} ${own}`
}

const isFound = ({ code, value, section }: Item, search: string) => {
  const text = fold(`${section} ${code} ${labelOf(value) ?? ''}`)
  return fold(search)
    .trim()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export interface Uses {
  /** Paths of items that an item refers to, and of those that refer to it. */
  needs: ReadonlyMap<string, ReadonlySet<string>>
  needed: ReadonlyMap<string, ReadonlySet<string>>
}

/** Who refers to whom, between items: by code, binding, condition or merge token. Translations refer to nothing but their own text. */
export function usesIn(document: ConfigDocument): Uses {
  const [needs, needed] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  const add = (map: Map<string, Set<string>>, key: string, value: string) => map.set(key, (map.get(key) ?? new Set()).add(value))
  for (const { from, to, kind } of referencesIn(document)) {
    if (to === null || kind === 'translation') continue
    const [own, other] = [itemPathOf(from), itemPathOf(to)]
    if (own === null || other === null || own === other) continue
    add(needs, own, other)
    add(needed, other, own)
  }
  return { needs, needed }
}

interface Around {
  currency: string
  /** Of all items, by path. */
  order: ReadonlyMap<string, number>
  changed: boolean
}

function shownItem(item: Item, { needs, needed }: Uses, { currency, order, changed }: Around) {
  const { section, code, path, node, value } = item
  return {
    section,
    code,
    name: isSettings(item) ? node.title : labelOf(value) || code,
    summary: summaryOf(node, value, { currency }),
    retired: isRecord(value) && value.retired === true,
    dependsOn: [...(needs.get(path) ?? [])]
      .filter((one) => order.has(one))
      .toSorted((a, b) => order.get(a)! - order.get(b)!)
      .slice(0, MAX_NEEDS)
      .map(itemNameOf),
    usedBy: { config: needed.get(path)?.size ?? 0, records: 0 },
    changedSincePublish: changed,
  }
}

type Shown = ReturnType<typeof shownItem>

/** Counted for the page alone: an event may have a million participants and a thousand items. */
async function withRecords(ctx: EventContext, rows: readonly { item: Item; shown: Shown }[]): Promise<Shown[]> {
  const named = rows.flatMap(({ item }, index) => {
    const one = isSettings(item) ? null : namedBy(item.path)
    return one ? [{ index, one }] : []
  })
  const counts = await recordUses(
    ctx,
    named.map(({ one }) => one),
  )
  const records = new Map(named.map(({ index }, at) => [index, counts[at]!.count]))
  return rows.map(({ shown }, index) => ({ ...shown, usedBy: { ...shown.usedBy, records: records.get(index) ?? 0 } }))
}

/** Whether an item is otherwise than the live version has it; before the first publish everything is. */
async function changedSince(ctx: EventContext, configuration: Configuration): Promise<(path: string) => boolean> {
  const live = await readLive(ctx, configuration)
  if (!live) return () => true
  const { document } = await asVersion(configuration)
  const changed = new Set((await inTurns(diffDocuments(live.document, document))).flatMap(({ path }) => itemPathOf(path) ?? []))
  return (path) => changed.has(path)
}

/** In the order in which the database keeps the keys of an object, so that an answer that is repeated from there reads the same. */
export function countedBySection(items: readonly Pick<Item, 'section'>[]): Record<string, number> {
  const counts = Object.entries(Object.groupBy(items, ({ section }) => section)).map(([section, of]) => [section, of!.length] as const)
  return Object.fromEntries(counts.toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)))
}
