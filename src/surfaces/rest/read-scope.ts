import type { EntityReadScope } from '../../domains/entities/list.ts'
import type { QueryParameterValues } from './query.ts'
import { createRecordNotFoundError, ProblemError } from './problem-error.ts'
import type { RestContext } from './site.ts'

export const getScopeCodes = (values: QueryParameterValues) => ({
  tenantCode: values.get('tenantCode') ?? null,
  clientCode: values.get('clientCode') ?? null,
  eventCode: values.get('eventCode') ?? null,
})

/**
 * The clients and events that the caller may read, resolved with their token. Throws if the given codes match no event or client, or
 * several events.
 */
export function resolveReadScope(c: RestContext, values: QueryParameterValues): EntityReadScope {
  const { tenantId, clientIds, eventIds, sensitiveData } = c.get('account')
  const { eventCode, clientCode, tenantCode } = getScopeCodes(values)
  if (eventCode !== null && eventIds.length > 1) {
    throw new ProblemError({
      status: 400,
      code: 'ambiguous',
      detail: `Several clients have an event ${eventCode}: name the client as clientCode too.`,
      errors: [{ parameter: 'eventCode', message: 'is the code of several events: add clientCode' }],
    })
  }
  if (clientIds.length + eventIds.length === 0) {
    if (eventCode !== null) throw createRecordNotFoundError('event', eventCode)
    if (clientCode !== null) throw createRecordNotFoundError('client', clientCode)
    if (tenantCode !== null) throw createRecordNotFoundError('tenant', tenantCode)
  }
  return { tenantId, clientIds, eventIds, sensitiveData, includeTestData: values.get('includeTestData') === 'true' }
}
