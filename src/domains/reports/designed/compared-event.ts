import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { getCurrencyDecimals } from '../../../kernel/money.ts'
import { permissionsOf } from '../../../kernel/permissions.ts'
import { readDictionary } from '../../figures/dictionary/custom-fields.ts'
import { createComputedValueReader } from '../../figures/query/computed-values.ts'
import type { QueriedEvent } from '../../figures/query/scope.ts'
import { limitSnapshotToEvent, type QuerySnapshot } from '../../figures/query/snapshot.ts'

/** Runs a function on another event of the client in the same database snapshot, with the caller's permissions for that event. */
export async function runQueriesAtOtherEvent<T>(
  snapshot: QuerySnapshot,
  code: string,
  run: (other: QuerySnapshot, name: string) => Promise<T>,
): Promise<T> {
  const facts = await findEventFacts(snapshot.ctx, code)
  const staff = snapshot.ctx.access.staff.filter(({ eventId }) => eventId === facts?.id).map(({ role }) => role)
  const permissions = permissionsOf([...snapshot.ctx.client.roles, ...staff])
  if (!facts || !permissions.has('reports.read'))
    throw notFound(`No event ${code} to compare with at client ${snapshot.ctx.client.code} — list_events shows its events`)
  const event = {
    ...snapshot.ctx.event,
    id: facts.id,
    code: facts.code,
    name: facts.name,
    timezone: facts.timezone,
    currency: facts.currency,
  }
  const ctx: EventContext = { ...snapshot.ctx, event, permissions }
  await limitSnapshotToEvent(snapshot, facts.id)
  const back = () => limitSnapshotToEvent(snapshot, snapshot.event.id)
  try {
    const dictionary = await readDictionary(ctx)
    const readComputedValues = createComputedValueReader(ctx)
    const scope = {
      ...snapshot.scope,
      eventIds: [facts.id],
      event: facts,
      decimals: getCurrencyDecimals(facts.currency),
      readComputedValues,
    }
    const result = await run({ ...snapshot, ctx, scope, event: facts, dictionary, reader: { ...snapshot.reader, permissions } }, facts.name)
    await back()
    return result
  } catch (error) {
    // After a failed statement, switching the snapshot back to its own event may fail too. Only the first error is thrown.
    await back().catch(() => {})
    throw error
  }
}

async function findEventFacts({ db, tenantId, client }: EventContext, code: string): Promise<QueriedEvent | null> {
  const { rows } = await sql<QueriedEvent>`
    select id, code, name, client_id as "clientId", timezone, currency, starts_on as "startsOn", ends_on as "endsOn"
    from events where tenant_id = ${tenantId} and client_id = ${client.id} and code = ${code}`.execute(db)
  return rows[0] ?? null
}
