import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Pool } from '../../kernel/ports.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import { buildEventAndClientJoins, EVENT_WITH_CLIENT_COLUMNS_SQL, type EventFoundByToken } from '../tenancy/scope.ts'
import { readDoorRules, requireValidScanPlaces } from './door-rules.ts'

/** Number of days after the last day of the event for which device links work. */
const DAYS_AFTER_EVENT = 3

/**
 * Adds a phone or scanner that scans badges at doors. The returned token is part of the link that opens the scanner; only its hash is
 * stored.
 */
export async function createDoorDevice(
  ctx: EventContext,
  { name, gateCode }: { name: string; gateCode?: string | undefined },
): Promise<Secret> {
  const rules = await readDoorRules(ctx)
  if (gateCode !== undefined) await requireValidScanPlaces(ctx, rules, [{ scope: 'gate', gateCode }])
  const token = newToken('door_')
  const id = newId()
  const { numInsertedOrUpdatedRows: inserted } = await ctx.db
    .insertInto('door_devices')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      name,
      gate_code: gateCode ?? null,
      token_hash: hashToken(token),
      created_by: ctx.actor.id,
      created_by_name: ctx.actor.name,
      expires_at: new Date(Math.max(Date.parse(rules.facts.endsOn), rules.facts.now.getTime()) + (DAYS_AFTER_EVENT + 1) * 86_400_000),
    })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow()
  if (inserted === 0n) throw conflict(`Another device here is called ${name}. Choose another name`)
  recordChange(ctx, { kind: 'doorDevice', id, after: { name, gateCode: gateCode ?? null } })
  return new Secret(token)
}

export const listDoorDevices = (ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>) =>
  eventDb(ctx)
    .selectFrom('door_devices')
    .select(['id', 'name', 'gate_code', 'created_by_name', 'last_seen_at', 'expires_at'])
    .where('revoked_at', 'is', null)
    .orderBy('name')
    .limit(200)
    .execute()

/** Revokes the access of a device. Scans that the device has stored offline can no longer be sent. */
export async function revokeDoorDevice(ctx: EventContext, id: string): Promise<void> {
  const row = await eventDb(ctx)
    .updateTable('door_devices')
    .set({ revoked_at: sql<Date>`lanyard_now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
  if (!row) throw notFound(`No door device ${id} at this event`)
  recordChange(ctx, { kind: 'doorDevice', id, before: { name: row.name }, after: { revoked: true } })
}

/** A device whose token is valid, with the event that it scans for. */
export interface VerifiedDoorDevice extends EventFoundByToken {
  id: string
  name: string
  gateCode: string | null
  createdBy: string
  createdByName: string
}

/**
 * SQL: finds the device of a token. The time of its last use is updated at most once a minute, so that its concurrent scans do not wait for
 * a row lock.
 */
const VERIFY_DEVICE = `
with verified as materialized (
  select d.* from door_devices d where d.token_hash = $1 and d.revoked_at is null and d.expires_at > lanyard_now()
), touched as (
  update door_devices d set last_seen_at = lanyard_now() from verified v
  where d.tenant_id = v.tenant_id and d.event_id = v.event_id and d.id = v.id
    and (v.last_seen_at is null or v.last_seen_at < lanyard_now() - interval '1 minute')
)
select d.id, d.name, d.gate_code as "gateCode", d.created_by as "createdBy", d.created_by_name as "createdByName",
  ${EVENT_WITH_CLIENT_COLUMNS_SQL}
from verified d
${buildEventAndClientJoins('d')}
where e.status <> 'archived'`

/** Returns the device of a token; null if it is unknown, revoked or expired. */
export async function verifyDoorDevice(pool: Pool, token: string): Promise<VerifiedDoorDevice | null> {
  const { rows } = await pool.query<VerifiedDoorDevice>(VERIFY_DEVICE, [hashToken(token)])
  return rows[0] ?? null
}
