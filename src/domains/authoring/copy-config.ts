import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { daysBetween } from '../../kernel/time.ts'
import { isPublishBlockingIssue, type ConfigIssue } from '../configuration/issues.ts'
import { summarizeConfigValue } from '../configuration/labels.ts'
import { isJsonObject, parsePointer, toPointer } from '../configuration/pointers.ts'
import { replaceAtPath } from '../configuration/operations.ts'
import { type Configuration, readConfigBySelector } from '../configuration/read.ts'
import { rewriteConfigReferences } from '../configuration/references.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { type ConflictPolicy, planConfigCopy, type CopyStep } from './copy-plan.ts'
import { editConfigDraft, type ConfigDraftEditResult } from './edit.ts'
import {
  requireKnownSections,
  getCopyableItems,
  isSectionSettings,
  type ConfigItem,
  findItemValue,
  getEnclosingItemPath,
  listCopyableItems,
  pickSectionSettings,
} from './copyable-items.ts'
import { type DateShiftMode, shiftDates } from './shift-dates.ts'
import { getConfigSourceEvent } from './source-event.ts'
import { truncateListsWithWarnings } from './truncate-lists.ts'

interface Request {
  fromEventCode: string
  fromClientCode?: string | undefined
  items?: readonly { section: string; code: string }[] | undefined
  sections?: readonly string[] | undefined
  onConflict: ConflictPolicy
  withDependencies: boolean
  dateShift: DateShiftMode
  ifRevision?: number | undefined
}

/** Copies parts of another event's draft into this draft, including their dependencies. */
export async function copyConfig(ctx: EventContext, request: Request) {
  if ((request.items === undefined) === (request.sections === undefined)) {
    throw invalidArguments([{ path: 'items', message: 'needs either items or sections to copy' }])
  }
  const from = await getConfigSourceEvent(ctx, { eventCode: request.fromEventCode, clientCode: request.fromClientCode })
  if (from.event.id === ctx.event.id) throw invalidArguments([{ path: 'fromEventCode', message: 'is the same event' }])
  const source = await readConfigBySelector(from, 'draft')
  let steps: CopyStep[] = []
  const { ifRevision, ...operations } = request
  const edited = await editConfigDraft(ctx, { tool: 'copy_event_config', operations, ifRevision }, (target) => {
    const moved = shiftSourceDates(source, target, request.dateShift)
    steps = planConfigCopy({ source: moved, target: target.document, chosen: selectItems(moved, request, from.client.code), ...request })
    return applyCopies(target, { document: moved, locale: source.facts.locale }, steps)
  })
  refuseIncompatible(edited.introduced)
  return { ...summarizeCopy(edited, steps), draftRevision: edited.draftRevision }
}

/** Returns the source configuration with its dates shifted to the start date and time zone of the target event. */
function shiftSourceDates(source: Configuration, target: Configuration, mode: DateShiftMode): ConfigDocument {
  const days = daysBetween(source.document.details.startsOn, target.document.details.startsOn)
  return shiftDates(source.document, { mode, days, fromZone: source.facts.timezone, toZone: target.facts.timezone }).document
}

/**
 * Selects the items to copy. When whole sections are copied, retired items are left out, because they exist only for records of the
 * source event.
 */
function selectItems(document: ConfigDocument, { items: named, sections, fromEventCode }: Request, clientCode: string): ConfigItem[] {
  const all = listCopyableItems(document)
  if (named) return [...new Set(getCopyableItems(all, named, { eventCode: fromEventCode, clientCode }))]
  requireKnownSections(sections!, 'sections')
  return all.filter(({ section, value }) => sections!.includes(section) && !(isJsonObject(value) && value.retired === true))
}

function applyCopies(
  target: Configuration,
  source: { document: ConfigDocument; locale: string },
  steps: readonly CopyStep[],
): ConfigDocument {
  const done = steps.filter(({ act }) => act !== 'skip')
  const copies = extractCopies(source.document, done)
  const paths = new Map(done.map(({ item, to }) => [item.path, to]))
  const { document } = rewriteConfigReferences(copies, ({ to }) => {
    const own = to === null ? null : getEnclosingItemPath(to)
    const moved = own === null ? undefined : paths.get(own)
    return moved === undefined ? null : moved + to!.slice(own!.length)
  })
  let next = target.document
  for (const { item, to } of done) next = insertCopy(next, item, to, findItemValue(document, item.path)!)
  return copyTranslations(next, document, { target, paths, sameLanguage: source.locale === target.facts.locale })
}

/** Returns a document with only the copied items, under their old keys, so that only references inside them are rewritten. */
function extractCopies(document: ConfigDocument, steps: readonly CopyStep[]): ConfigDocument {
  const paths = new Set(steps.map(({ item }) => item.path))
  const sections = Object.fromEntries(
    Object.entries(document).flatMap(([section, value]): [string, unknown][] => {
      if (section === 'translations') return [[section, value]]
      if (Array.isArray(value)) return [[section, filterCopied(value, `/${section}`, paths)]]
      if (!isJsonObject(value)) return []
      const settings = paths.has(`/${section}`) ? pickSectionSettings(section, value) : {}
      const lists = Object.entries(value).filter(([name]) => !Object.hasOwn(pickSectionSettings(section, value), name))
      return [
        [
          section,
          {
            ...settings,
            ...Object.fromEntries(lists.map(([name, items]) => [name, filterCopied(items as unknown[], `/${section}/${name}`, paths)])),
          },
        ],
      ]
    }),
  )
  return sections as ConfigDocument
}

const KEYS = ['code', 'slug', 'id'] as const
const findKey = (item: unknown) =>
  (isJsonObject(item) ? KEYS.map((key) => item[key]).find((own) => typeof own === 'string') : undefined) as string | undefined

const filterCopied = (items: readonly unknown[], path: string, paths: ReadonlySet<string>) =>
  items.filter((item) => {
    const key = findKey(item)
    return key !== undefined && paths.has(path + toPointer([key]))
  })

function insertCopy(document: ConfigDocument, item: ConfigItem, to: string, value: unknown): ConfigDocument {
  const segments = parsePointer(to)
  if (isSectionSettings(item)) return replaceAtPath(document, segments, mergeSettings(document, item, value as Record<string, unknown>))
  if (findItemValue(document, to) !== undefined) return replaceAtPath(document, segments, value)
  const key = KEYS.find((name) => Object.hasOwn(value as object, name))!
  return replaceAtPath(document, [...segments.slice(0, -1), '-'], { ...(value as object), [key]: segments.at(-1) })
}

/**
 * Merges the copied settings of a section into the target event. The target event keeps its own name and dates, and the lists of the
 * section.
 */
function mergeSettings(document: ConfigDocument, { section }: ConfigItem, value: Record<string, unknown>): Record<string, unknown> {
  const own = (document as Record<string, Record<string, unknown> | undefined>)[section] ?? {}
  const settings = pickSectionSettings(section, own)
  const lists = Object.fromEntries(Object.entries(own).filter(([name]) => !Object.hasOwn(settings, name)))
  const { name, startsOn, endsOn } = document.details
  return { ...lists, ...value, ...(section === 'details' ? { name, startsOn, endsOn } : {}) }
}

/** Copies translations into languages that the target event also has. Replaced items lose their old translations. */
function copyTranslations(
  document: ConfigDocument,
  copies: ConfigDocument,
  { target, paths, sameLanguage }: { target: Configuration; paths: ReadonlyMap<string, string>; sameLanguage: boolean },
): ConfigDocument {
  const targetPaths = new Set(paths.values())
  // The target event keeps its own name, and so the translations of that name.
  const isCopied = (pointer: string) => pointer !== '/details/name' && targetPaths.has(getEnclosingItemPath(pointer) ?? '')
  const { locale: main, locales } = target.facts
  const translations = Object.fromEntries(
    locales
      .filter((locale) => locale !== main)
      .map((locale) => {
        const kept = Object.entries(document.translations?.[locale] ?? {}).filter(([pointer]) => !isCopied(pointer))
        const added = sameLanguage ? Object.entries(copies.translations?.[locale] ?? {}).filter(([pointer]) => isCopied(pointer)) : []
        return [locale, Object.fromEntries([...kept, ...added])]
      }),
  )
  return { ...document, translations: { ...document.translations, ...translations } }
}

/** Rejects the copy if existing records of this event do not fit the copied items. */
function refuseIncompatible(introduced: readonly ConfigIssue[]): void {
  const orphans = introduced.filter(({ level }) => level === 'orphan')
  if (!orphans[0]) return
  const more = orphans.length > 1 ? ` and ${orphans.length - 1} more` : ''
  throw preconditionFailed(`Nothing was copied: ${orphans[0].path}: ${orphans[0].message}${more}`, {
    fields: orphans.slice(0, 50).map(({ path, message }) => ({ path, message })),
  })
}

function summarizeCopy({ before, after, changes, introduced }: ConfigDraftEditResult, steps: readonly CopyStep[]) {
  const { currency } = after.facts
  const changed = new Map<string | null, number>()
  for (const path of changes.map((change) => getEnclosingItemPath(change.path))) changed.set(path, (changed.get(path) ?? 0) + 1)
  const acted = (...acts: CopyStep['act'][]) => steps.filter(({ act }) => acts.includes(act))
  const replaced = acted('replace').map(({ item, to }) => ({
    path: to,
    before: summarizeConfigValue(item.node, findItemValue(before.document, to), { currency }),
    after: summarizeConfigValue(item.node, findItemValue(after.document, to), { currency }),
    changes: changed.get(to) ?? 0,
  }))
  const warnings = introduced.filter(isPublishBlockingIssue).map(({ path, message }) => `${path}: ${message}`)
  const lists = {
    copied: acted('add', 'rename').map(({ to }) => to),
    replaced,
    skipped: acted('skip').map(({ item }) => item.path),
    renamed: acted('rename').map(({ item, to }) => ({ from: item.path, to })),
    dependenciesAdded: steps.filter(({ isDependency }) => isDependency).map(({ to }) => to),
  }
  return truncateListsWithWarnings(warnings, lists, 'copy fewer items or sections per call, or see diff_versions and validate_schema')
}
