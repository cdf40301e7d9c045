import type { EventContext } from '../../kernel/context.ts'
import { editableRecord, type EditOf, editRecord, refuseStale } from '../../kernel/edit-record.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { type EventRow, lockEvent } from '../tenancy/lock-event.ts'
import { changeCurrency } from './currency.ts'
import { editDraft } from './edit.ts'
import { EVENT_STATES, getEventRow, toEventRecord } from './event-records.ts'
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

/** What else an edit does, in words and numbers. */
export interface SideEffect {
  what: string
  count: number
}

/** Changes the event itself. Its name and days are part of the configuration and become public with it; all else is so at once. */
export async function updateEvent(ctx: EventContext, edit: EventEdit) {
  const before = await lockEvent(ctx)
  if (EVENT_STATES.terminal.includes(before.status)) throw preconditionFailed(`${before.name} is archived and cannot be changed any more`)
  refuseStale(LIVE, before, edit.ifRevision)
  const locales = checkedLocales(before, edit)
  const effects: SideEffect[] = []
  if (edit.timezone !== undefined && edit.timezone !== before.timezone) effects.push(...(await changeTimezone(ctx, edit.confirmTimezone)))
  // Dates are moved on the clock that they were written for, which a new zone would change.
  const details = await editDetails(ctx, before, edit, effects)
  if (edit.currency !== undefined && edit.currency !== before.currency) effects.push(...(await changeCurrency(ctx, before, edit.currency)))
  const { timezone, currency, testMode } = edit
  const live = await editLive(ctx, { timezone, currency, testMode, ...locales })
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
        message: `${JSON.stringify(main)}, the language of the texts, is not among the languages ${all.join(', ')}: pass locales with it`,
      },
    ])
  }
  return { locale, locales: locales && [...new Set(locales)] }
}

const DETAILS = ['name', 'startsOn', 'endsOn'] as const

async function editDetails(ctx: EventContext, before: EventRow, edit: EventEdit, effects: SideEffect[]): Promise<string[]> {
  if (edit.moveDates && edit.startsOn === undefined)
    throw invalidArguments([{ path: 'startsOn', message: 'is needed with moveDates: the day to move to' }])
  if (DETAILS.every((name) => edit[name] === undefined)) return []
  let moved = 0
  const operations = Object.fromEntries([...DETAILS, 'moveDates' as const].map((name) => [name, edit[name]]))
  const edited = await editDraft(ctx, { tool: 'update_event', operations }, ({ document }) => {
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
  if (edited.changes.length > 0 && before.published_version !== null)
    effects.push({ what: 'changes that go live with publish_event', count: edited.changes.length })
  return changed
}

/** Whoever moves all dates keeps the length of the event, unless they say its end too. */
function withDetails(document: ConfigDocument, { name, startsOn, endsOn, moveDates }: EventEdit): ConfigDocument {
  const { details } = document
  const end = endsOn ?? (moveDates ? addDays(startsOn!, daysBetween(details.startsOn, details.endsOn)) : details.endsOn)
  return { ...document, details: { ...details, name: name ?? details.name, startsOn: startsOn ?? details.startsOn, endsOn: end } }
}

const LIVE = editableRecord({
  table: 'events',
  kind: 'event',
  noun: 'Event',
  name: ({ code }) => code,
  key: ['tenant_id', 'id'],
  fields: { timezone: 'timezone', currency: 'currency', locale: 'locale', locales: 'locales', testMode: 'test_mode' },
})

type LiveEdit = Omit<EditOf<typeof LIVE>, 'ifRevision'>

/** Read again: an edit of the draft may have gone before, which counts as one of the event too. */
const editLive = async (ctx: EventContext, edit: LiveEdit) => editRecord(ctx, LIVE, await getEventRow(ctx), edit)
