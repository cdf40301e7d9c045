import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { type ResultPage, readPage } from '../../kernel/page.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import { DELIVERY_STATES } from './states.ts'
import type { WebhookDeliveryStatus } from './tables.ts'

export const DELIVERY_STATUSES = DELIVERY_STATES.all

export interface WebhookDelivery {
  messageId: string
  kind: string
  status: WebhookDeliveryStatus
  createdAt: string
  /** The time of the next attempt; null unless the status of the delivery is `pending`. */
  nextAttemptAt: string | null
  replayed: boolean
  attempts: { at: string; status: number | null; ms: number; error: string | null; body: string | null; replay: boolean }[]
}

export interface DeliveryFilter {
  status?: WebhookDeliveryStatus | undefined
  kind?: string | undefined
  from?: Date | undefined
  until?: Date | undefined
}

/** How long the delivery log is stored. */
export const DELIVERY_LOG_RETENTION_DAYS = 30

interface LoggedAttempt {
  at: string
  status: number | null
  ms: number
  error: string | null
  body: string | null
  replay: boolean
}

const ATTEMPTS = sql<LoggedAttempt[]>`coalesce((
  select json_agg(json_build_object('at', a.at, 'status', a.status, 'ms', a.ms, 'error', a.error, 'body', a.body, 'replay', a.replay) order by a.number)
  from webhook_attempts a where a.tenant_id = webhook_deliveries.tenant_id and a.endpoint_id = webhook_deliveries.endpoint_id
    and a.message_id = webhook_deliveries.message_id), '[]')`.as('tried')

type DeliveryScope = Pick<Context, 'db' | 'tenantId' | 'keys' | 'cursorScope'>

const selectDeliveries = (
  ctx: Pick<DeliveryScope, 'db' | 'tenantId'>,
  endpointId: string,
  { status, kind, from, until }: DeliveryFilter,
) => {
  let rows = tenantDb(ctx)
    .selectFrom('webhook_deliveries')
    .selectAll()
    .select(ATTEMPTS)
    .where('endpoint_id', '=', endpointId)
    .where('created_at', '>', sql<Date>`lanyard_now() - make_interval(days => ${DELIVERY_LOG_RETENTION_DAYS})`)
  if (status) rows = rows.where('status', '=', status)
  if (kind) rows = rows.where('kind', '=', kind)
  if (from) rows = rows.where('created_at', '>=', from)
  if (until) rows = rows.where('created_at', '<', until)
  return rows
}

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof selectDeliveries>['executeTakeFirstOrThrow']>>

const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  messageId: row.message_id,
  kind: row.kind,
  status: row.status,
  createdAt: formatInstant(row.created_at),
  nextAttemptAt: row.status === 'pending' ? formatInstant(row.next_attempt_at) : null,
  replayed: row.replayed_at !== null,
  attempts: row.tried.map((attempt) => ({ ...attempt, at: formatInstant(new Date(attempt.at)) })),
})

/** Counts the deliveries in the log by status. Statuses without deliveries are left out. */
export async function countDeliveries(
  ctx: Pick<DeliveryScope, 'db' | 'tenantId'>,
  endpointId: string,
): Promise<Map<WebhookDeliveryStatus, number>> {
  const rows = await tenantDb(ctx)
    .selectFrom('webhook_deliveries')
    .select(['status', sql<number>`count(*)::int`.as('count')])
    .where('endpoint_id', '=', endpointId)
    .where('created_at', '>', sql<Date>`lanyard_now() - make_interval(days => ${DELIVERY_LOG_RETENTION_DAYS})`)
    .groupBy('status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, count]))
}

/** Lists the deliveries to an endpoint, newest first. */
export function listDeliveries(
  ctx: DeliveryScope,
  endpointId: string,
  filter: DeliveryFilter & { limit: number; cursor?: string | undefined },
): Promise<ResultPage<WebhookDelivery>> {
  return readPage(ctx, filter, {
    rows: selectDeliveries(ctx, endpointId, filter),
    order: [
      { by: sql`created_at`, type: 'timestamptz', descending: true, of: (row) => row.created_at.toISOString() },
      { by: sql`message_id`, type: 'text', descending: true, of: (row) => row.message_id },
    ],
    shape: toDelivery,
  })
}

export async function getDelivery(
  ctx: Pick<DeliveryScope, 'db' | 'tenantId'>,
  endpointId: string,
  messageId: string,
): Promise<WebhookDelivery & { body: string }> {
  const row = await selectDeliveries(ctx, endpointId, {}).where('message_id', '=', messageId).executeTakeFirst()
  if (!row) throw notFound(`No message ${messageId} was sent to this webhook in the last ${DELIVERY_LOG_RETENTION_DAYS} days`)
  const { body } = await tenantDb(ctx).selectFrom('webhook_messages').select('body').where('id', '=', messageId).executeTakeFirstOrThrow()
  return { ...toDelivery(row), body }
}
