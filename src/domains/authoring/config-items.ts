import type { EventContext } from '../../kernel/context.ts'
import { paginateList } from '../../kernel/page.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { diffDocuments } from '../configuration/diff/diff.ts'
import { findLabel, summarizeConfigValue } from '../configuration/labels.ts'
import { isJsonObject } from '../configuration/pointers.ts'
import { type Configuration, readConfigBySelector, readLiveConfiguration } from '../configuration/read.ts'
import { listReferences } from '../configuration/references.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { normalizeForSearch } from '../configuration/search-index.ts'
import { toPublishedDocument } from '../configuration/versions.ts'
import { countConfigItemUses } from '../registration/sale/record-uses.ts'
import {
  requireKnownSections,
  isSectionSettings,
  type ConfigItem,
  parseItemNameFromPath,
  getEnclosingItemPath,
  listCopyableItems,
} from './copyable-items.ts'
import { toRecordReference } from './orphans.ts'

interface Request {
  section?: string | undefined
  search?: string | undefined
  version: string
  limit: number
  cursor?: string | undefined
}

/** Lists the items of a configuration with their dependencies and usage. */
export async function listConfigItems(ctx: EventContext, { section, search, version, limit, cursor }: Request) {
  if (section !== undefined) requireKnownSections([section], 'section')
  const configuration = await readConfigBySelector(ctx, version, 'version')
  const { document, facts } = configuration
  const all = listCopyableItems(document)
  const found = all.filter((item) => (section === undefined || item.section === section) && (search === undefined || isFound(item, search)))
  const uses = findItemReferences(document)
  const order = new Map(all.map(({ path }, index) => [path, index]))
  const changed = await buildChangeCheck(ctx, configuration)
  const origins = new Map<ListedItem, ConfigItem>()
  const { items, ...page } = paginateList(
    ctx,
    { limit, cursor },
    {
      rows: found,
      shape: (item) => {
        const shown = toListedItem(item, uses, { currency: facts.currency, order, changed: changed(item.path) })
        origins.set(shown, item)
        return shown
      },
      pin: configuration.version === null ? `draft ${facts.draftRevision}` : `version ${configuration.version}`,
      moved: 'belongs to an earlier state of the configuration; omit it to start from the first page',
    },
  )
  const rows = items.map((shown) => ({ shown, item: origins.get(shown)! }))
  const cut = rows.filter(({ item }) => (uses.needs.get(item.path)?.size ?? 0) > MAX_NEEDS)
  return {
    items: await withRecords(ctx, rows),
    sections: countItemsBySection(found),
    total: found.length,
    ...page,
    ...(cut.length > 0 ? { truncated: true as const, note: cutNote(cut[0]!.item, uses, page.note) } : {}),
  }
}

/** Maximum number of dependencies that are listed for an item, because those of a flow may be too many for one result. */
const MAX_NEEDS = 200

function cutNote({ path }: ConfigItem, { needs }: ItemReferences, note: string | undefined): string {
  const own = `dependsOn shows ${MAX_NEEDS} of the ${needs.get(path)!.size} items that ${path} needs: use config_explore to see its references.`
  return note === undefined ? own : `${note} ${own}`
}

const isFound = ({ code, value, section }: ConfigItem, search: string) => {
  const text = normalizeForSearch(`${section} ${code} ${findLabel(value) ?? ''}`)
  return normalizeForSearch(search)
    .trim()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export interface ItemReferences {
  /** For each item path, the paths of the items it refers to, and of those that refer to it. */
  needs: ReadonlyMap<string, ReadonlySet<string>>
  needed: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * Finds references between items: by code, by binding (identifier of a question), in conditions and in merge fields. Translations are not
 * counted.
 */
export function findItemReferences(document: ConfigDocument): ItemReferences {
  const [needs, needed] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  const add = (map: Map<string, Set<string>>, key: string, value: string) => map.set(key, (map.get(key) ?? new Set()).add(value))
  for (const { from, to, kind } of listReferences(document)) {
    if (to === null || kind === 'translation') continue
    const [own, other] = [getEnclosingItemPath(from), getEnclosingItemPath(to)]
    if (own === null || other === null || own === other) continue
    add(needs, own, other)
    add(needed, other, own)
  }
  return { needs, needed }
}

interface ItemContext {
  currency: string
  /** Position of every configuration item in the document, by the path of the item. */
  order: ReadonlyMap<string, number>
  changed: boolean
}

function toListedItem(item: ConfigItem, { needs, needed }: ItemReferences, { currency, order, changed }: ItemContext) {
  const { section, code, path, node, value } = item
  return {
    section,
    code,
    name: isSectionSettings(item) ? node.title : findLabel(value) || code,
    summary: summarizeConfigValue(node, value, { currency }),
    retired: isJsonObject(value) && value.retired === true,
    dependsOn: [...(needs.get(path) ?? [])]
      .filter((one) => order.has(one))
      .toSorted((a, b) => order.get(a)! - order.get(b)!)
      .slice(0, MAX_NEEDS)
      .map(parseItemNameFromPath),
    usedBy: { config: needed.get(path)?.size ?? 0, records: 0 },
    changedSincePublish: changed,
  }
}

type ListedItem = ReturnType<typeof toListedItem>

/**
 * Adds how many records use each item. Counts only for the current page, because an event may have a million participants and a thousand
 * items.
 */
async function withRecords(ctx: EventContext, rows: readonly { item: ConfigItem; shown: ListedItem }[]): Promise<ListedItem[]> {
  const named = rows.flatMap(({ item }, index) => {
    const one = isSectionSettings(item) ? null : toRecordReference(item.path)
    return one ? [{ index, one }] : []
  })
  const counts = await countConfigItemUses(
    ctx,
    named.map(({ one }) => one),
  )
  const records = new Map(named.map(({ index }, at) => [index, counts[at]!.count]))
  return rows.map(({ shown }, index) => ({ ...shown, usedBy: { ...shown.usedBy, records: records.get(index) ?? 0 } }))
}

/** Returns whether an item differs from the live version; before the first publish every item does. */
async function buildChangeCheck(ctx: EventContext, configuration: Configuration): Promise<(path: string) => boolean> {
  const live = await readLiveConfiguration(ctx, configuration)
  if (!live) return () => true
  const { document } = await toPublishedDocument(configuration)
  const changed = new Set(
    (await runTaskCooperatively(diffDocuments(live.document, document))).flatMap(({ path }) => getEnclosingItemPath(path) ?? []),
  )
  return (path) => changed.has(path)
}

/** Counts items by section. Sections are sorted like jsonb keys, so that a result replayed from the database is identical. */
export function countItemsBySection(items: readonly Pick<ConfigItem, 'section'>[]): Record<string, number> {
  const counts = Object.entries(Object.groupBy(items, ({ section }) => section)).map(([section, of]) => [section, of!.length] as const)
  return Object.fromEntries(counts.toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)))
}
