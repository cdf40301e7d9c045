import type { Tables } from '../../kernel/columns.ts'
export interface CoveredClient {
  tenantCode: string
  clientCode: string
}

export interface CoveredEvent extends CoveredClient {
  eventCode: string
}

export type ApiAccountsTable = Tables['api_accounts']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'api_accounts.allowed_clients': CoveredClient[]
    'api_accounts.allowed_events': CoveredEvent[]
  }
}
