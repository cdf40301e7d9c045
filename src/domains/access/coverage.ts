import type { ApiAccount } from './verify-api-account.ts'
import type { EventCoveredByApiAccount } from './tables.ts'

/**
 * Whether an API account covers an event or client. Its clients and events grant access; its tenants only restrict it. An account with
 * tenants only, or nothing, covers nothing. Must match the database function `api_account_covers`.
 */
export const isCoveredByApiAccount = (
  { allowedTenants, allowedClients, allowedEvents }: Pick<ApiAccount, 'allowedTenants' | 'allowedClients' | 'allowedEvents'>,
  { tenantCode, clientCode, eventCode }: EventCoveredByApiAccount,
): boolean =>
  (allowedTenants.length === 0 || allowedTenants.includes(tenantCode)) &&
  (allowedClients.some((one) => one.tenantCode === tenantCode && one.clientCode === clientCode) ||
    allowedEvents.some((one) => one.tenantCode === tenantCode && one.clientCode === clientCode && one.eventCode === eventCode))
