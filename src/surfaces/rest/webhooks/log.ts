import { DELIVERY_STATUSES, listDeliveries } from '../../../domains/webhooks/deliveries.ts'
import type { DeliveryStatus } from '../../../domains/webhooks/tables.ts'
import { instant, oneOf, text } from '../../../domains/entities/schemas.ts'
import { ANNOUNCED_KINDS } from '../../../kernel/announce.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Road } from '../../road.ts'
import { LISTED } from '../parameters.ts'
import { instantOf, type Parameter, readQuery } from '../query.ts'
import { Refused } from '../refusal.ts'
import type { RestContext } from '../site.ts'
import { contextOf } from '../changes.ts'

export const LOG_PARAMETERS: readonly Parameter[] = [
  {
    name: 'limit',
    about: 'Deliveries on a page.',
    schema: { type: 'integer', minimum: 1, maximum: LISTED.maximum, default: LISTED.default },
  },
  { name: 'cursor', about: 'The nextCursor of the page before, with the same filters.', schema: text() },
  { name: 'status', about: 'Only deliveries that stand so.', schema: oneOf(DELIVERY_STATUSES) },
  { name: 'kind', about: 'Only messages of this kind.', schema: oneOf(ANNOUNCED_KINDS) },
  { name: 'from', about: 'Only messages from this instant on.', schema: instant() },
  { name: 'until', about: 'Only messages before this instant.', schema: instant() },
]

/** A page of the log as JSON, the newest first. */
export async function deliveriesOf(road: Road, c: RestContext, endpointId: string): Promise<string> {
  const values = readQuery(c.req.url, LOG_PARAMETERS)
  const [status, kind] = [values.get('status') as DeliveryStatus | undefined, values.get('kind')]
  const [from, until] = ['from', 'until'].map((name) => (values.has(name) ? (instantOf(values.get(name)!) ?? undefined) : undefined))
  const limit = Number(values.get('limit') ?? LISTED.default)
  const ctx = contextOf(road, c, road.database.read, [endpointId, status, kind, from, until])
  const { items, nextCursor } = await listDeliveries(ctx, endpointId, {
    status,
    kind,
    from,
    until,
    limit,
    cursor: values.get('cursor'),
  }).catch(asCursorRefusal)
  return JSON.stringify({ data: items, pageInfo: { nextCursor, hasMore: nextCursor !== null } })
}

function asCursorRefusal(error: unknown): never {
  const fields = error instanceof AppError ? error.details.fields : undefined
  if (fields?.[0]?.path !== 'cursor') throw error
  const message = 'is not a nextCursor of this list with these filters; start from page one'
  throw new Refused({ status: 400, code: 'invalid_cursor', detail: `cursor: ${message}`, errors: [{ parameter: 'cursor', message }] })
}
