import type { Tables } from '../../kernel/columns.ts'
export type MemoriesTable = Tables['memories']
