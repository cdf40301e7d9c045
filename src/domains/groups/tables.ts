import type { BillTo } from '../orders/tables.ts'

export const GROUP_KINDS = ['company', 'delegation', 'school', 'family', 'other'] as const
export const GROUP_ROLES = ['admin', 'leader', 'member'] as const

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'managed_groups.bill_to': BillTo
  }
}
