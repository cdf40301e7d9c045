import type { Generated } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'
import type { FilePurpose } from './purposes.ts'

export interface FilesTable {
  tenant_id: number
  id: string
  client_id: string | null
  event_id: string | null
  purpose: FilePurpose
  name: string
  mime: string
  size: number
  sha256: Buffer
  owner_kind: string | null
  owner_id: string | null
  is_test_data: Generated<boolean>
  created_by: string
  created_at: Kept<Date>
  deleted_at: NullableStamp
}

interface FileUploadsTable {
  tenant_id: number
  id: string
  started_at: Kept<Date>
  swept_at: NullableStamp
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    files: FilesTable
    file_uploads: FileUploadsTable
  }
}
