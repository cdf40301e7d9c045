import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { createBadgeQrCode } from '../configuration/badge-code.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { readDoorRules } from './door-rules.ts'

export const BADGE_ROTATION_REASONS = ['lost', 'stolen', 'damaged', 'duplicated', 'reprint'] as const

interface Rotation {
  participantIds: readonly string[]
  reason: (typeof BADGE_ROTATION_REASONS)[number]
  newBadgeIds?: Readonly<Record<string, string>> | undefined
}

interface BadgeSettings {
  provider: 'own' | 'external'
  delimiter: string
}

const OWN_BADGE_ID = /^[0-9a-f]{16}$/

/** Assigns new badge ids to participants. Doors and lead scanners refuse the former ids from then on. */
export async function rotateBadgeIds(ctx: EventContext, { participantIds, reason, newBadgeIds = {} }: Rotation) {
  const { config } = await readDoorRules(ctx)
  const people = await lockPeople(ctx, participantIds)
  const holders = people.filter(({ badge_id }) => badge_id !== null)
  refuseInvalidIds(config.badge, holders, newBadgeIds)
  const given = new Map(holders.map(({ id }) => [id, newBadgeIds[id] ?? randomBytes(8).toString('hex')]))
  await refuseUsedIds(ctx, [...given.values()])
  if (holders.length > 0) await keepFormerIds(ctx, holders, reason)
  for (const row of holders) {
    const badgeId = given.get(row.id)!
    await updateParticipant(ctx, row, { badge_id: badgeId }).catch(rethrowUsedId)
    recordChange(ctx, { kind: 'participant', id: row.id, before: { badgeId: row.badge_id }, after: { badgeId } })
  }
  return {
    rotated: holders.map((row) => {
      const badgeId = given.get(row.id)!
      const { text: payload } = createBadgeQrCode(ctx, config.badge, { ...row, badge_id: badgeId })!
      return { participantId: row.id, oldHint: row.badge_id!.slice(-4), badgeId, payload }
    }),
    skipped: people.filter(({ badge_id }) => badge_id === null).map(({ id }) => ({ participantId: id, reason: 'no_badge' })),
  }
}

/** Locks the participants in a fixed order to prevent deadlocks, and rejects unknown and cancelled participants. */
async function lockPeople(ctx: EventContext, participantIds: readonly string[]): Promise<ParticipantRow[]> {
  const ids = [...new Set(participantIds)].toSorted()
  const rows = await eventDb(ctx).selectFrom('participants').selectAll().where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()
  const found = new Set(rows.map(({ id }) => id))
  const missing = ids.find((id) => !found.has(id))
  if (missing) throw notFound(`No participant ${missing} at this event. Use find_participants to search by name, email or company.`)
  const cancelled = rows.find(({ status }) => status === 'cancelled')
  if (cancelled) throw preconditionFailed(`The registration ${cancelled.id} is cancelled, so it gets no new badge`)
  return rows
}

function refuseInvalidIds(
  { provider, delimiter }: BadgeSettings,
  holders: readonly ParticipantRow[],
  given: Readonly<Record<string, string>>,
): void {
  const known = new Set(holders.map(({ id }) => id))
  const errors: FieldError[] = Object.entries(given).flatMap(([id, badgeId]) => {
    const path = `newBadgeIds.${id}`
    if (!known.has(id)) return [{ path, message: 'is not one of participantIds with a badge' }]
    if (badgeId === '0') return [{ path, message: '0 is the sample badge; choose another id' }]
    if (badgeId.includes(delimiter)) return [{ path, message: `must not contain the delimiter ${delimiter}` }]
    if (provider === 'own' && !OWN_BADGE_ID.test(badgeId)) return [{ path, message: 'must be 16 lower-case hexadecimal characters' }]
    return []
  })
  if (provider === 'external')
    for (const { id } of holders)
      if (given[id] === undefined)
        errors.push({ path: `newBadgeIds.${id}`, message: 'is required: an external provider issues the badge ids' })
  const values = Object.values(given)
  if (new Set(values).size < values.length) errors.push({ path: 'newBadgeIds', message: 'contains an id twice' })
  if (errors.length > 0) throw invalidArguments(errors)
}

async function refuseUsedIds({ db, tenantId, event }: EventContext, badgeIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select p.badge_id as id from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.badge_id = any(${badgeIds})
    union all
    select h.badge_id from badge_id_history h where h.tenant_id = ${tenantId} and h.event_id = ${event.id} and h.badge_id = any(${badgeIds})
    limit 1`.execute(db)
  if (rows[0]) throw usedIdError(rows[0].id)
}

const usedIdError = (badgeId: string) => conflict(`The badge id ${badgeId} was already used at this event. Choose another id`)

/** Reports a unique violation as an error of the caller: a concurrent call took the badge id after it was checked. */
function rethrowUsedId(error: unknown): never {
  const { code, constraint } = error as { code?: string; constraint?: string }
  throw code === '23505' && (constraint === 'participants_badge' || constraint === 'badge_id_used_before')
    ? conflict('One of the badge ids was already used at this event. Choose another id')
    : error
}

/** Stores former badge ids with the reason of the rotation. The database trigger on badge ids stores them without a reason. */
async function keepFormerIds({ db, tenantId, event }: EventContext, holders: readonly ParticipantRow[], reason: string): Promise<void> {
  await sql`
    insert into badge_id_history (tenant_id, event_id, badge_id, participant_id, valid_from, reason)
    select p.tenant_id, p.event_id, p.badge_id, p.id, coalesce((select max(h.valid_until) from badge_id_history h where h.tenant_id = p.tenant_id
      and h.event_id = p.event_id and h.participant_id = p.id), p.completed_at, p.created_at), ${reason}
    from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.id = any(${holders.map(({ id }) => id)})`.execute(
    db,
  )
}
