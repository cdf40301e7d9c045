import type { Reading } from '../../domains/entities/list.ts'
import type { Values } from './query.ts'
import { noRecord, Refused } from './refusal.ts'
import type { RestContext } from './site.ts'

export const placeOf = (values: Values) => ({
  tenantCode: values.get('tenantCode') ?? null,
  clientCode: values.get('clientCode') ?? null,
  eventCode: values.get('eventCode') ?? null,
})

/** What the caller may read of the place they named, which was looked up with their token. That there is none, or several, is told here. */
export function readingOf(c: RestContext, values: Values): Reading {
  const { tenantId, clientIds, eventIds, sensitiveData } = c.get('account')
  const { eventCode, clientCode, tenantCode } = placeOf(values)
  if (eventCode !== null && eventIds.length > 1) {
    throw new Refused({
      status: 400,
      code: 'ambiguous',
      detail: `Several clients have an event ${eventCode}: name the client as clientCode too.`,
      errors: [{ parameter: 'eventCode', message: 'is the code of several events: add clientCode' }],
    })
  }
  if (clientIds.length + eventIds.length === 0) {
    if (eventCode !== null) throw noRecord('event', eventCode)
    if (clientCode !== null) throw noRecord('client', clientCode)
    if (tenantCode !== null) throw noRecord('tenant', tenantCode)
  }
  return { tenantId, clientIds, eventIds, sensitiveData, includeTestData: values.get('includeTestData') === 'true' }
}
