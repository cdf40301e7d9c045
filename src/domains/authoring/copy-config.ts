import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { daysBetween } from '../../kernel/time.ts'
import { isBlocking, type Issue } from '../configuration/issues.ts'
import { summaryOf } from '../configuration/labels.ts'
import { isRecord, parsePointer, pointerOf } from '../configuration/pointers.ts'
import { put } from '../configuration/operations.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import { redirectReferences } from '../configuration/references.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { type OnConflict, planCopy, type Step } from './copy-plan.ts'
import { editDraft, type Edited } from './edit.ts'
import { checkSections, getItems, isSettings, type Item, itemAt, itemPathOf, copyableItems, settingsIn } from './item-places.ts'
import { type DateShift, shiftDates } from './shift-dates.ts'
import { getSourceEvent } from './source-event.ts'
import { fittingWithWarnings } from './told.ts'

interface Request {
  fromEventCode: string
  fromClientCode?: string | undefined
  items?: readonly { section: string; code: string }[] | undefined
  sections?: readonly string[] | undefined
  onConflict: OnConflict
  withDependencies: boolean
  dateShift: DateShift
  ifRevision?: number | undefined
}

/** Copies parts of another event's draft into this one's, with what they need. */
export async function copyConfig(ctx: EventContext, request: Request) {
  if ((request.items === undefined) === (request.sections === undefined)) {
    throw invalidArguments([{ path: 'items', message: 'give either items or sections: what to copy' }])
  }
  const from = await getSourceEvent(ctx, { eventCode: request.fromEventCode, clientCode: request.fromClientCode })
  if (from.event.id === ctx.event.id) throw invalidArguments([{ path: 'fromEventCode', message: 'is this very event' }])
  const source = await readConfig(from, 'draft')
  let steps: Step[] = []
  const { ifRevision, ...operations } = request
  const edited = await editDraft(ctx, { tool: 'copy_event_config', operations, ifRevision }, (target) => {
    const moved = datesFor(source, target, request.dateShift)
    steps = planCopy({ source: moved, target: target.document, chosen: chosenFrom(moved, request, from.client.code), ...request })
    return withCopies(target, { document: moved, locale: source.facts.locale }, steps)
  })
  refuseIncompatible(edited.introduced)
  return { ...outcomeOf(edited, steps), draftRevision: edited.draftRevision }
}

/** The source as it would be at the target: its dates as far from the start, by the clock there. */
function datesFor(source: Configuration, target: Configuration, mode: DateShift): ConfigDocument {
  const days = daysBetween(source.document.details.startsOn, target.document.details.startsOn)
  return shiftDates(source.document, { mode, days, fromZone: source.facts.timezone, toZone: target.facts.timezone }).document
}

/** Of whole sections, what is retired stays behind: it is kept for records that the target does not have. */
function chosenFrom(document: ConfigDocument, { items: named, sections, fromEventCode }: Request, clientCode: string): Item[] {
  const all = copyableItems(document)
  if (named) return [...new Set(getItems(all, named, { eventCode: fromEventCode, clientCode }))]
  checkSections(sections!, 'sections')
  return all.filter(({ section, value }) => sections!.includes(section) && !(isRecord(value) && value.retired === true))
}

function withCopies(target: Configuration, source: { document: ConfigDocument; locale: string }, steps: readonly Step[]): ConfigDocument {
  const done = steps.filter(({ act }) => act !== 'skip')
  const copies = onlyCopies(source.document, done)
  const paths = new Map(done.map(({ item, to }) => [item.path, to]))
  const { document } = redirectReferences(copies, ({ to }) => {
    const own = to === null ? null : itemPathOf(to)
    const moved = own === null ? undefined : paths.get(own)
    return moved === undefined ? null : moved + to!.slice(own!.length)
  })
  let next = target.document
  for (const { item, to } of done) next = placed(next, item, to, itemAt(document, item.path)!)
  return withTranslations(next, document, { target, paths, sameLanguage: source.locale === target.facts.locale })
}

/** The copied items and nothing else, under their old keys, so that only references inside them are rewritten. */
function onlyCopies(document: ConfigDocument, steps: readonly Step[]): ConfigDocument {
  const paths = new Set(steps.map(({ item }) => item.path))
  const sections = Object.fromEntries(
    Object.entries(document).flatMap(([section, value]): [string, unknown][] => {
      if (section === 'translations') return [[section, value]]
      if (Array.isArray(value)) return [[section, keptIn(value, `/${section}`, paths)]]
      if (!isRecord(value)) return []
      const settings = paths.has(`/${section}`) ? settingsIn(section, value) : {}
      const lists = Object.entries(value).filter(([name]) => !Object.hasOwn(settingsIn(section, value), name))
      return [
        [
          section,
          {
            ...settings,
            ...Object.fromEntries(lists.map(([name, items]) => [name, keptIn(items as unknown[], `/${section}/${name}`, paths)])),
          },
        ],
      ]
    }),
  )
  return sections as ConfigDocument
}

const KEYS = ['code', 'slug', 'id'] as const
const keyIn = (item: unknown) =>
  (isRecord(item) ? KEYS.map((key) => item[key]).find((own) => typeof own === 'string') : undefined) as string | undefined

const keptIn = (items: readonly unknown[], path: string, paths: ReadonlySet<string>) =>
  items.filter((item) => {
    const key = keyIn(item)
    return key !== undefined && paths.has(path + pointerOf([key]))
  })

function placed(document: ConfigDocument, item: Item, to: string, value: unknown): ConfigDocument {
  const segments = parsePointer(to)
  if (isSettings(item)) return put(document, segments, mergedSettings(document, item, value as Record<string, unknown>))
  if (itemAt(document, to) !== undefined) return put(document, segments, value)
  const key = KEYS.find((name) => Object.hasOwn(value as object, name))!
  return put(document, [...segments.slice(0, -1), '-'], { ...(value as object), [key]: segments.at(-1) })
}

/** An event keeps its own name and days, whatever else it takes over, and a section the lists in it. */
function mergedSettings(document: ConfigDocument, { section }: Item, value: Record<string, unknown>): Record<string, unknown> {
  const own = (document as Record<string, Record<string, unknown> | undefined>)[section] ?? {}
  const settings = settingsIn(section, own)
  const lists = Object.fromEntries(Object.entries(own).filter(([name]) => !Object.hasOwn(settings, name)))
  const { name, startsOn, endsOn } = document.details
  return { ...lists, ...value, ...(section === 'details' ? { name, startsOn, endsOn } : {}) }
}

/** Into languages that the target has too. What is replaced loses its old translations. */
function withTranslations(
  document: ConfigDocument,
  copies: ConfigDocument,
  { target, paths, sameLanguage }: { target: Configuration; paths: ReadonlyMap<string, string>; sameLanguage: boolean },
): ConfigDocument {
  const places = new Set(paths.values())
  // The event keeps its own name, and so the translations of it.
  const isCopied = (pointer: string) => pointer !== '/details/name' && places.has(itemPathOf(pointer) ?? '')
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

/** What records of this event use must still fit them. */
function refuseIncompatible(introduced: readonly Issue[]): void {
  const orphans = introduced.filter(({ level }) => level === 'orphan')
  if (!orphans[0]) return
  const more = orphans.length > 1 ? ` and ${orphans.length - 1} more` : ''
  throw preconditionFailed(`Nothing was copied: ${orphans[0].path}: ${orphans[0].message}${more}`, {
    fields: orphans.slice(0, 50).map(({ path, message }) => ({ path, message })),
  })
}

function outcomeOf({ before, after, changes, introduced }: Edited, steps: readonly Step[]) {
  const { currency } = after.facts
  const changed = new Map<string | null, number>()
  for (const path of changes.map((change) => itemPathOf(change.path))) changed.set(path, (changed.get(path) ?? 0) + 1)
  const acted = (...acts: Step['act'][]) => steps.filter(({ act }) => acts.includes(act))
  const replaced = acted('replace').map(({ item, to }) => ({
    path: to,
    before: summaryOf(item.node, itemAt(before.document, to), { currency }),
    after: summaryOf(item.node, itemAt(after.document, to), { currency }),
    changes: changed.get(to) ?? 0,
  }))
  const warnings = introduced.filter(isBlocking).map(({ path, message }) => `${path}: ${message}`)
  const lists = {
    copied: acted('add', 'rename').map(({ to }) => to),
    replaced,
    skipped: acted('skip').map(({ item }) => item.path),
    renamed: acted('rename').map(({ item, to }) => ({ from: item.path, to })),
    dependenciesAdded: steps.filter(({ isDependency }) => isDependency).map(({ to }) => to),
  }
  return fittingWithWarnings(warnings, lists, 'copy fewer items or sections at once, or see diff_versions and validate_schema')
}
