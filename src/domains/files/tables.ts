import type { Tables } from '../../kernel/columns.ts'
import type { FilePurpose } from './purposes.ts'

export type FilesTable = Tables['files']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'files.purpose': FilePurpose
  }
}
