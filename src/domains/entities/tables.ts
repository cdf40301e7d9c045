interface DeletionsTable {
  tenant_id: number
  event_id: string | null
  client_id: string | null
  entity: string
  id: string
  is_test_data: boolean
  deleted_at: Date
  updated_at: Date
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    deletions: DeletionsTable
  }
}
