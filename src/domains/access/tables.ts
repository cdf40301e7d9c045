import type { Tables } from '../../kernel/columns.ts'
export interface ClientCoveredByApiAccount {
  tenantCode: string
  clientCode: string
}

export interface EventCoveredByApiAccount extends ClientCoveredByApiAccount {
  eventCode: string
}

export type ApiAccountsTable = Tables['api_accounts']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'api_accounts.allowed_clients': ClientCoveredByApiAccount[]
    'api_accounts.allowed_events': EventCoveredByApiAccount[]
  }
}
