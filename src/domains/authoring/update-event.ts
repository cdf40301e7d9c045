import type { EventContext } from '../../kernel/context.ts'
import { type RecordEdit, editRecord, rejectStaleEdit } from '../../kernel/records.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { EVENT_RECORD } from '../tenancy/event-record.ts'
import { type EventRow, lockEventRow } from '../tenancy/lock-event.ts'
import { changeCurrency } from './currency.ts'
import { editConfigDraft } from './edit.ts'
import { EVENT_STATES } from '../tenancy/states.ts'
import { getEventRow, toEventRecord } from './event-records.ts'
import { shiftDates } from './shift-dates.ts'
import { changeTimezone } from './timezone.ts'

export interface EventEdit {
  name?: string | undefined
  startsOn?: string | undefined
  endsOn?: string | undefined
  timezone?: string | undefined
  currency?: string | undefined
  locale?: string | undefined
  locales?: readonly string[] | undefined
  testMode?: boolean | undefined
  moveDates: boolean
  confirmTimezone: boolean
  ifRevision?: number | undefined
}

/** An additional effect of an edit, such as the number of shifted dates. */
export interface EventEditSideEffect {
  what: string
  count: number
}

/**
 * Updates the event. Name and dates are part of the configuration and go live with the next publish; everything else applies immediately.
 */
export async function updateEvent(ctx: EventContext, edit: EventEdit) {
  const before = await lockEventRow(ctx)
  if (EVENT_STATES.terminal.includes(before.status)) throw preconditionFailed(`${before.name} is archived and can no longer be changed`)
  rejectStaleEdit(EVENT_RECORD, before, edit.ifRevision)
  const locales = checkedLocales(before, edit)
  const effects: EventEditSideEffect[] = []
  if (edit.timezone !== undefined && edit.timezone !== before.timezone)
    effects.push(...(await changeTimezone(ctx, edit.timezone, edit.confirmTimezone)))
  // Dates are moved in the old time zone, in which they were entered.
  const details = await editDetails(ctx, before, edit, effects)
  if (edit.currency !== undefined && edit.currency !== before.currency) effects.push(...(await changeCurrency(ctx, before, edit.currency)))
  if (locales.locales) effects.push(...(await removeUnusedTranslations(ctx, before, locales.locales)))
  const { timezone, currency, testMode } = edit
  const live = await editEventRow(ctx, { timezone, currency, testMode, ...locales })
  return { event: toEventRecord(ctx.client.code, live.row), changed: [...details, ...live.changed], effects }
}

function checkedLocales(before: EventRow, { locale, locales }: EventEdit): Pick<EventEdit, 'locale' | 'locales'> {
  const all = locales ?? before.locales
  const main = locale ?? before.locale
  if (!all.includes(main)) {
    const path = locale === undefined ? 'locales' : 'locale'
    throw invalidArguments([
      {
        path,
        message: `${JSON.stringify(main)}, the main language, is not among the languages ${all.join(', ')}: include it in locales`,
      },
    ])
  }
  return { locale, locales: locales && [...new Set(locales)] }
}

/** Removes the draft's texts in languages that the event no longer has: a translation in such a language prevents publishing. */
async function removeUnusedTranslations(ctx: EventContext, before: EventRow, locales: readonly string[]): Promise<EventEditSideEffect[]> {
  const dropped = before.locales.filter((locale) => !locales.includes(locale))
  if (dropped.length === 0) return []
  let texts = 0
  const edited = await editConfigDraft(ctx, { tool: 'update_event', operations: { locales } }, ({ document }) => {
    const { translations = {}, ...rest } = document
    const kept = Object.entries(translations).filter(([locale]) => !dropped.includes(locale))
    texts = dropped.reduce((sum, locale) => sum + Object.keys(translations[locale] ?? {}).length, 0)
    return texts === 0 ? document : ({ ...rest, translations: Object.fromEntries(kept) } as ConfigDocument)
  })
  if (texts === 0) return []
  return [
    { what: 'translations of the draft removed with their language', count: texts },
    ...announcePublish(before, edited.changes.length),
  ]
}

const announcePublish = (before: EventRow, count: number): EventEditSideEffect[] =>
  count > 0 && before.published_version !== null ? [{ what: 'changes that go live with publish_event', count }] : []

const DETAILS = ['name', 'startsOn', 'endsOn'] as const

async function editDetails(ctx: EventContext, before: EventRow, edit: EventEdit, effects: EventEditSideEffect[]): Promise<string[]> {
  if (edit.moveDates && edit.startsOn === undefined)
    throw invalidArguments([{ path: 'startsOn', message: 'is required with moveDates: the new start date' }])
  if (DETAILS.every((name) => edit[name] === undefined)) return []
  let moved = 0
  const operations = Object.fromEntries([...DETAILS, 'moveDates' as const].map((name) => [name, edit[name]]))
  const edited = await editConfigDraft(ctx, { tool: 'update_event', operations }, ({ document }) => {
    const next = withDetails(document, edit)
    if (!edit.moveDates) return next
    const days = daysBetween(document.details.startsOn, edit.startsOn!)
    const shifted = shiftDates(next, { mode: 'shift', days, fromZone: before.timezone, toZone: before.timezone })
    moved = shifted.moves.length
    return shifted.document
  })
  const [was, is] = [edited.before.document.details, edited.after.document.details]
  const changed = DETAILS.filter((name) => was[name] !== is[name])
  if (moved > 0) effects.push({ what: 'dates of the draft moved', count: moved })
  effects.push(...announcePublish(before, edited.changes.length))
  return changed
}

/** Sets the name and dates in the configuration. With `moveDates`, the event keeps its length unless the caller also sets `endsOn`. */
function withDetails(document: ConfigDocument, { name, startsOn, endsOn, moveDates }: EventEdit): ConfigDocument {
  const { details } = document
  const end = endsOn ?? (moveDates ? addDays(startsOn!, daysBetween(details.startsOn, details.endsOn)) : details.endsOn)
  return { ...document, details: { ...details, name: name ?? details.name, startsOn: startsOn ?? details.startsOn, endsOn: end } }
}

type EventRowEdit = Omit<RecordEdit<typeof EVENT_RECORD>, 'ifRevision'>

/** Updates the event row. Reads it again first, because an edit of the draft may have increased its revision. */
const editEventRow = async (ctx: EventContext, edit: EventRowEdit) => editRecord(ctx, EVENT_RECORD, await getEventRow(ctx), edit)
