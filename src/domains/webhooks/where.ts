import type { Context } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { covers } from '../access/coverage.ts'
import type { Listener } from './endpoints.ts'

interface Asked {
  clientCode?: string | null | undefined
  eventCode?: string | null | undefined
}

export interface EndpointPlace {
  clientCode: string | null
  eventCode: string | null
}

/** The part of what the account covers that is meant. What it does not cover is as unknown as what is not there. */
export async function placeOf(ctx: Context, listener: Listener, { clientCode = null, eventCode = null }: Asked): Promise<EndpointPlace> {
  if (eventCode === null) {
    if (clientCode !== null && !coversSome(ctx, listener, clientCode)) throw notFound(`No client ${clientCode} that this account covers`)
    return { clientCode, eventCode }
  }
  const rows = await tenantDb(ctx)
    .selectFrom('events')
    .innerJoin('clients', (join) => join.onRef('clients.tenant_id', '=', 'events.tenant_id').onRef('clients.id', '=', 'events.client_id'))
    .select('clients.code')
    .where('events.code', '=', eventCode)
    .orderBy('clients.code')
    .execute()
  const clients = rows
    .map(({ code }) => code)
    .filter((code) => (clientCode ?? code) === code && covers(listener, { tenantCode: ctx.tenantCode, clientCode: code, eventCode }))
  if (clients.length === 0) throw notFound(`No event ${eventCode} that this account covers`)
  if (clients.length > 1)
    throw new AppError('ambiguous', `Event ${eventCode} is at ${clients.join(' and ')} — give the clientCode too`, {
      candidates: clients.map((code) => ({ clientCode: code, eventCode })),
    })
  return { clientCode: clients[0]!, eventCode }
}

const coversSome = ({ tenantCode }: Context, { allowedTenants, allowedClients, allowedEvents }: Listener, clientCode: string) =>
  (allowedTenants.length === 0 || allowedTenants.includes(tenantCode)) &&
  [...allowedClients, ...allowedEvents].some((one) => one.tenantCode === tenantCode && one.clientCode === clientCode)
