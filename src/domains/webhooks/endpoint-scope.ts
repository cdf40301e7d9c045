import type { Context } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { isCoveredByApiAccount } from '../access/coverage.ts'
import type { WebhookAccount } from './endpoints.ts'

interface RequestedScope {
  clientCode?: string | null | undefined
  eventCode?: string | null | undefined
}

export interface EndpointScope {
  clientCode: string | null
  eventCode: string | null
}

/** Finds the client and event that an endpoint is restricted to. Codes outside the scope of the account are reported as not found. */
export async function resolveEndpointScope(
  ctx: Context,
  listener: WebhookAccount,
  { clientCode = null, eventCode = null }: RequestedScope,
): Promise<EndpointScope> {
  if (eventCode === null) {
    if (clientCode !== null && !coversPartOf(ctx, listener, clientCode)) throw notFound(`No client ${clientCode} that this account covers`)
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
    .filter(
      (code) =>
        (clientCode ?? code) === code && isCoveredByApiAccount(listener, { tenantCode: ctx.tenantCode, clientCode: code, eventCode }),
    )
  if (clients.length === 0) throw notFound(`No event ${eventCode} that this account covers`)
  if (clients.length > 1)
    throw new AppError('ambiguous', `Event ${eventCode} exists at ${clients.join(' and ')}. Pass clientCode as well.`, {
      candidates: clients.map((code) => ({ clientCode: code, eventCode })),
    })
  return { clientCode: clients[0]!, eventCode }
}

const coversPartOf = ({ tenantCode }: Context, { allowedTenants, allowedClients, allowedEvents }: WebhookAccount, clientCode: string) =>
  (allowedTenants.length === 0 || allowedTenants.includes(tenantCode)) &&
  [...allowedClients, ...allowedEvents].some((one) => one.tenantCode === tenantCode && one.clientCode === clientCode)
