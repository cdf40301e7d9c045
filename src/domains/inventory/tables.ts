import type { ColumnType, Generated } from 'kysely'
import type { Kept } from '../../kernel/columns.ts'

interface InventoryTable {
  tenant_id: number
  event_id: string
  /** `product:<code>`, `flow:<slug>`, `event` or `discount:<code>`. */
  key: string
  capacity: number | null
  overage: Generated<number>
  held: Generated<number>
  sold: Generated<number>
}

interface HoldsTable {
  tenant_id: number
  event_id: string
  id: string
  key: string
  quantity: number
  participant_id: string
  entry_id: string | null
  is_test_data: Kept<boolean>
  status: Generated<'active' | 'converted' | 'released' | 'expired'>
  charging: Generated<boolean>
  expires_at: ColumnType<Date, Date | string, Date | string>
  created_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    inventory: InventoryTable
    holds: HoldsTable
  }
}
