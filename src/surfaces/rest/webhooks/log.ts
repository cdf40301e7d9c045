import { DELIVERY_STATUSES, listDeliveries } from '../../../domains/webhooks/deliveries.ts'
import type { WebhookDeliveryStatus } from '../../../domains/webhooks/tables.ts'
import { pageCursorSchema, enumSchema, instantInputSchema } from '../../../domains/entities/schemas.ts'
import { WEBHOOK_ANNOUNCEMENT_KINDS } from '../../../kernel/announce.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { AppServices } from '../../services.ts'
import { PAGE_SIZE_LIMITS } from '../parameters.ts'
import { parseQueryInstant, type QueryParameter, parseQueryParameters } from '../query.ts'
import { ProblemError } from '../problem-error.ts'
import type { RestContext } from '../site.ts'
import { buildApiAccountContext } from '../changes.ts'

export const DELIVERY_LOG_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'limit',
    about: 'Deliveries per page.',
    schema: { type: 'integer', minimum: 1, maximum: PAGE_SIZE_LIMITS.maximum, default: PAGE_SIZE_LIMITS.default },
  },
  { name: 'cursor', about: 'The nextCursor of the previous page, with the same filters.', schema: pageCursorSchema() },
  { name: 'status', about: 'Only deliveries with this status.', schema: enumSchema(DELIVERY_STATUSES) },
  { name: 'kind', about: 'Only messages of this kind.', schema: enumSchema(WEBHOOK_ANNOUNCEMENT_KINDS) },
  { name: 'from', about: 'Only messages from this instant on.', schema: instantInputSchema() },
  { name: 'until', about: 'Only messages before this instant.', schema: instantInputSchema() },
]

/** Renders one page of the delivery log as JSON, newest first. */
export async function renderDeliveryLog(services: AppServices, c: RestContext, endpointId: string): Promise<string> {
  const values = parseQueryParameters(c.req.url, DELIVERY_LOG_PARAMETERS)
  const [status, kind] = [values.get('status') as WebhookDeliveryStatus | undefined, values.get('kind')]
  const [from, until] = ['from', 'until'].map((name) =>
    values.has(name) ? (parseQueryInstant(values.get(name)!) ?? undefined) : undefined,
  )
  const limit = Number(values.get('limit') ?? PAGE_SIZE_LIMITS.default)
  const ctx = buildApiAccountContext(services, c, services.database.read, [endpointId, status, kind, from, until])
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
  throw new ProblemError({ status: 400, code: 'invalid_cursor', detail: `cursor: ${message}`, errors: [{ parameter: 'cursor', message }] })
}
