import { type RawBuilder, sql } from 'kysely'
import { count, flag, instant, list, object, untrustedText, text } from '../../kernel/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import type { VerifiedPersonContext } from '../../kernel/participant-tool.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { formatInstant, toWallTimeInZone } from '../../kernel/time.ts'
import { readLiveOrTestConfiguration } from './context.ts'
import { listBoothNumbers, formatBoothNumbers } from './company-facts.ts'
import { isBookableSlot, getEarliestBookableStart } from './free-slots.ts'
import { isCallerTestParticipant } from './people.ts'

const AvailableSlot = object({
  slotId: text(),
  startsAt: instant(),
  endsAt: instant(),
  localStart: text(),
  location: untrustedText().optional(),
  remaining: count(),
  clashesWithMine: flag(),
})

export const AvailableCompany = object({
  companyId: text(),
  name: untrustedText(),
  boothNumber: text().optional(),
  slots: list(AvailableSlot),
  /** Number of further free slots that `slots` does not contain. */
  moreSlots: count().optional(),
})

interface AvailabilityRequest {
  companyId?: string | undefined
  search?: string | undefined
  /** A day in the event's time zone. The times of day `from` and `until` are in the same time zone. */
  day?: string | undefined
  from?: string | undefined
  until?: string | undefined
  limit: number
  cursor?: string | undefined
}

interface SlotRow {
  id: string
  startsAt: string
  endsAt: string
  location: string | null
  remaining: number
  clashes: boolean
}

/** Maximum number of slots per company when several companies are listed. A request with `companyId` lists all slots of that company. */
const MAX_SLOTS_PER_COMPANY = 6

/** Lists companies by name with their free slots. A company requested by id is returned even without free slots. */
export async function listCompanyAvailability(ctx: VerifiedPersonContext, request: AvailabilityRequest) {
  const isTest = await isCallerTestParticipant(ctx)
  const { config, facts } = await readLiveOrTestConfiguration(ctx, isTest)
  const offered = matchesRequest(ctx, request, getEarliestBookableStart(facts.now, config.exhibitorConfig))
  let rows = eventDb(ctx)
    .selectFrom('companies')
    .select(['companies.id', 'name', 'name_norm', slotsColumn(ctx, offered).as('slots')])
    .where('companies.status', '=', 'active')
    .where('companies.is_test_data', '=', isTest)
  rows =
    request.companyId === undefined
      ? rows.where(sql<boolean>`exists (select from offerings o where ${offered})`)
      : rows.where('companies.id', '=', request.companyId)
  if (request.search !== undefined) rows = rows.where(buildWordMatchCondition(sql`companies.searched`, request.search))
  const booths = await listBoothNumbers(ctx, 'all')
  const shown = request.companyId === undefined ? MAX_SLOTS_PER_COMPANY : Infinity
  const { items, ...page } = await readPage(ctx, request, {
    rows,
    order: [
      { by: sql`name_norm`, type: 'text', of: (row) => row.name_norm },
      { by: sql`companies.id`, type: 'text', of: (row) => row.id },
    ],
    shape: ({ id, name, slots }) => {
      const boothNumber = formatBoothNumbers(booths, id)
      return {
        companyId: id,
        name,
        ...(boothNumber === '' ? {} : { boothNumber }),
        slots: slots.slice(0, shown).map((slot) => toSlot(ctx, slot, boothNumber)),
        ...(slots.length > shown ? { moreSlots: slots.length - shown } : {}),
      }
    },
  })
  if (request.companyId !== undefined && items.length === 0) {
    throw notFound(`No company ${request.companyId} at this event. Leave out companyId to see all companies, or use search`)
  }
  const isCut = items.some(({ moreSlots }) => moreSlots !== undefined)
  return { companies: items, ...page, ...(isCut && page.note === undefined ? { note: SLOTS_NOTE } : {}) }
}

const SLOTS_NOTE = `Shows the first ${MAX_SLOTS_PER_COMPANY} slots of a company. Pass companyId for all, or day, from and until for other times.`

/** SQL condition for bookable slots that match the request. Days and hours are in the event's time zone. */
function matchesRequest({ event }: VerifiedPersonContext, request: AvailabilityRequest, earliest: Date) {
  const [day, from, until] = [request.day ?? null, request.from ?? null, request.until ?? null]
  const starts = sql`(o.starts_at at time zone ${event.timezone})`
  const ends = sql`(o.ends_at at time zone ${event.timezone})`
  return sql<boolean>`o.tenant_id = companies.tenant_id and o.event_id = companies.event_id and o.company_id = companies.id and ${isBookableSlot(earliest)}
    and (${day}::date is null or ${starts}::date = ${day}::date)
    and (${from}::time is null or ${starts}::time >= ${from}::time)
    and (${until}::time is null or ${ends} <= ${starts}::date + ${until}::time)`
}

const slotsColumn = ({ person }: VerifiedPersonContext, offered: RawBuilder<boolean>) => sql<SlotRow[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'startsAt', o.starts_at, 'endsAt', o.ends_at, 'location', o.location,
    'remaining', o.capacity - o.booked, 'clashes', exists (
      select from appointment_people p where p.tenant_id = o.tenant_id and p.event_id = o.event_id
        and p.participant_id = any(${person.participantIds}) and tstzrange(p.starts_at, p.ends_at) && tstzrange(o.starts_at, o.ends_at)))
    order by o.starts_at, o.id), '[]')
  from offerings o where ${offered})`

function toSlot({ event }: VerifiedPersonContext, { id, startsAt, endsAt, location, remaining, clashes }: SlotRow, booth: string) {
  const [starts, where] = [new Date(startsAt), location ?? booth]
  return {
    slotId: id,
    startsAt: formatInstant(starts),
    endsAt: formatInstant(new Date(endsAt)),
    localStart: toWallTimeInZone(event.timezone, starts).slice(0, 16),
    ...(where === '' ? {} : { location: where }),
    remaining,
    clashesWithMine: clashes,
  }
}
