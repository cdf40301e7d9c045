import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { formatInstant } from '../../kernel/time.ts'
import { countCappedTotal } from '../../kernel/totals.ts'
import { findBadgeHolder, toPersonName } from './people.ts'
import { buildMinutesPerPersonSql, buildPresencePeriodsSql, isCountedScan } from './presence.ts'
import { toScanPlaceKey, type ScanPlace } from './tables.ts'

interface Filter {
  presence: 'inside' | 'left' | 'never'
  participantId?: string | undefined
  badgeId?: string | undefined
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * SQL condition: the participant is, was or never was at the place. For the event as a whole, gates count too. "Never" includes only
 * expected people: complete participants, or for a session those enrolled in it.
 */
function matchesPresence(presence: Filter['presence'], place: ScanPlace) {
  const of = sql`r.tenant_id = participants.tenant_id and r.event_id = participants.event_id and r.participant_id = participants.id`
  const wanted = presence === 'inside'
  const present =
    place.scope === 'event'
      ? sql<boolean>`exists (select from attendance_people r where ${of} and r.checked_in_at is not null and r.on_site = ${wanted})`
      : sql<boolean>`exists (select from attendance_presence r where ${of} and r.place = ${toScanPlaceKey(place)} and r.in_at is not null and r.inside = ${wanted})`
  if (presence !== 'never') return present
  if (place.scope === 'event')
    return sql<boolean>`participants.status = 'complete' and not exists (select from attendance_people r where ${of} and r.checked_in_at is not null)`
  const entered = sql`exists (select from attendance_presence r where ${of} and r.place = ${toScanPlaceKey(place)} and r.in_at is not null)`
  return place.scope === 'gate'
    ? sql<boolean>`participants.status = 'complete' and not ${entered}`
    : sql<boolean>`not ${entered} and exists (select from session_enrolments r where ${of} and r.session_id = ${place.sessionId} and r.status = 'enrolled')`
}

/** Lists people by whether they are or were at a place, sorted by name, with the time they have spent there. */
export async function listPeopleByPresence(ctx: EventContext, filter: Filter, place: ScanPlace) {
  const { participantId, badgeId, search, presence, limit, cursor } = filter
  let rows = eventDb(ctx)
    .selectFrom('participants')
    .select(['participants.id', 'participants.first_name', 'participants.last_name'])
    .where('participants.is_test_data', '=', false)
    .where(matchesPresence(presence, place))
  for (const id of [participantId, badgeId === undefined ? undefined : await findBadgeHolder(ctx, badgeId)])
    if (id !== undefined) rows = rows.where('participants.id', '=', id)
  if (search !== undefined) rows = rows.where(buildWordMatchCondition(sql`participants.searched`, search))
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [
        { by: sql`coalesce(participants.last_name, '')`, type: 'text', of: (row) => row.last_name ?? '' },
        { by: sql`participants.id`, type: 'text', of: (row) => row.id },
      ],
      shape: (row) => row,
    },
  )
  const spent = await readTimeSpent(
    ctx,
    items.map(({ id }) => id),
    place,
  )
  const people = items.map((row) => ({ participant: { id: row.id, name: toPersonName(row) }, ...spent(row.id) }))
  return { people, ...(await countCappedTotal(ctx, rows)), ...page }
}

/** Reads when these people were first and last at the place, and for how many minutes. Returns a function that looks up one person. */
async function readTimeSpent(ctx: EventContext, ids: readonly string[], place: ScanPlace) {
  const here =
    place.scope === 'event'
      ? sql<boolean>`s.scope <> 'session'`
      : sql<boolean>`s.scope = ${place.scope} and coalesce(s.gate_code, s.session_id) = ${place.gateCode ?? place.sessionId}`
  const where = sql<boolean>`s.participant_id = any(${ids}) and ${here}`
  const places = place.scope === 'event' ? 'site' : place.scope === 'gate' ? 'door' : 'room'
  const { rows } = await sql<{ id: string; firstIn: Date | null; lastOut: Date | null; minutes: number; assumedMinutes: number }>`
    with stays as (${buildPresencePeriodsSql(ctx, { places, where })}), minutes as (${buildMinutesPerPersonSql(sql`stays`, sql`null::text`)})
    select s.participant_id as id, min(s.at) filter (where s.direction = 'in') as "firstIn", max(s.at) filter (where s.direction = 'out') as "lastOut",
      coalesce(max(m.minutes), 0) as minutes, coalesce(max(m.assumed), 0) as "assumedMinutes"
    from attendance_scans s left join minutes m on m.person = s.participant_id
    where ${isCountedScan(ctx)} and ${where} group by 1`.execute(ctx.db)
  const spent = new Map(rows.map((row) => [row.id, row]))
  return (id: string) => {
    const { firstIn, lastOut, minutes = 0, assumedMinutes = 0 } = spent.get(id) ?? {}
    return {
      ...(firstIn ? { firstIn: formatInstant(firstIn) } : {}),
      ...(lastOut ? { lastOut: formatInstant(lastOut) } : {}),
      minutes,
      assumedMinutes,
    }
  }
}
