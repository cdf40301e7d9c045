import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { matchesWords } from '../../kernel/search.ts'
import { formatInstant } from '../../kernel/time.ts'
import { countTotal } from '../../kernel/totals.ts'
import { type AcceptedScan, countMinutes } from './minutes.ts'
import { findBadgeHolder, toName } from './people.ts'
import { placeKey, type ScanPlace } from './tables.ts'

interface Filter {
  presence: 'inside' | 'left' | 'never'
  participantId?: string | undefined
  badgeId?: string | undefined
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * Whether a participant is, was or never was at the place. For the event as a whole, gates count too. People who are expected but never
 * came are complete participants; at a session, those enrolled in it.
 */
function matchesPresence(presence: Filter['presence'], place: ScanPlace) {
  const of = sql`r.tenant_id = participants.tenant_id and r.event_id = participants.event_id and r.participant_id = participants.id`
  const wanted = presence === 'inside'
  const present =
    place.scope === 'event'
      ? sql<boolean>`exists (select from attendance_people r where ${of} and r.checked_in_at is not null and r.on_site = ${wanted})`
      : sql<boolean>`exists (select from attendance_presence r where ${of} and r.place = ${placeKey(place)} and r.in_at is not null and r.inside = ${wanted})`
  if (presence !== 'never') return present
  if (place.scope === 'event')
    return sql<boolean>`participants.status = 'complete' and not exists (select from attendance_people r where ${of} and r.checked_in_at is not null)`
  const entered = sql`exists (select from attendance_presence r where ${of} and r.place = ${placeKey(place)} and r.in_at is not null)`
  return place.scope === 'gate'
    ? sql<boolean>`participants.status = 'complete' and not ${entered}`
    : sql<boolean>`not ${entered} and exists (select from session_enrolments r where ${of} and r.session_id = ${place.sessionId} and r.status = 'enrolled')`
}

/** Lists people by where they are, by name, with the time they have spent there. */
export async function listPeopleByPresence(ctx: EventContext, filter: Filter, place: ScanPlace) {
  const { participantId, badgeId, search, presence, limit, cursor } = filter
  let rows = eventDb(ctx)
    .selectFrom('participants')
    .select(['participants.id', 'participants.first_name', 'participants.last_name'])
    .where('participants.is_test_data', '=', false)
    .where(matchesPresence(presence, place))
  for (const id of [participantId, badgeId === undefined ? undefined : await findBadgeHolder(ctx, badgeId)])
    if (id !== undefined) rows = rows.where('participants.id', '=', id)
  if (search !== undefined) rows = rows.where(matchesWords(sql`participants.searched`, search))
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
  const people = items.map((row) => ({ participant: { id: row.id, name: toName(row) }, ...spent(row.id) }))
  return { people, ...(await countTotal(ctx, rows)), ...page }
}

/** Reads the accepted scans of these people at the place, and returns a function that adds up the minutes of one of them. */
async function readTimeSpent({ db, tenantId, event }: EventContext, ids: readonly string[], place: ScanPlace) {
  const here =
    place.scope === 'event'
      ? sql`s.scope in ('event', 'gate')`
      : sql`s.scope = ${place.scope} and coalesce(s.gate_code, s.session_id) = ${place.gateCode ?? place.sessionId}`
  const { rows } = await sql<AcceptedScan & { id: string }>`
    select s.participant_id as id, s.direction, s.at, s.assumed from attendance_scans s
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = any(${ids}) and s.result = 'accepted' and ${here}
    order by s.at, s.id`.execute(db)
  const session = place.sessionId === undefined ? undefined : await findSessionTimes({ db, tenantId, event }, place.sessionId)
  const scans = Map.groupBy(rows, ({ id }) => id)
  return (id: string) => {
    const { firstIn, lastOut, ...spent } = countMinutes(scans.get(id) ?? [], session)
    return {
      ...(firstIn ? { firstIn: formatInstant(firstIn) } : {}),
      ...(lastOut ? { lastOut: formatInstant(lastOut) } : {}),
      ...spent,
    }
  }
}

async function findSessionTimes(ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>, sessionId: string) {
  const row = await eventDb(ctx).selectFrom('sessions').select(['starts_at', 'ends_at']).where('id', '=', sessionId).executeTakeFirst()
  return row?.starts_at && row.ends_at ? { startsAt: row.starts_at, endsAt: row.ends_at } : undefined
}
