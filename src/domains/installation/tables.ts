import type { Kept } from '../../kernel/columns.ts'

interface BackupsTable {
  noted_at: Kept<Date>
  how: 'made' | 'elsewhere'
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    backups: BackupsTable
  }
}
