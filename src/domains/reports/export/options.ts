import type { ReportRow } from '../../figures/report-table.ts'

export const PERSONAL_DATA_LEVELS = ['none', 'identity', 'full'] as const
export type PersonalDataLevel = (typeof PERSONAL_DATA_LEVELS)[number]

export interface ExportOptions {
  personalData: PersonalDataLevel
  /** The names of the exported entities; null for all that the requester may read. */
  entities: readonly string[] | null
  formats: readonly ('csv' | 'json')[]
  includeConfig: boolean
  includeFiles: boolean
  includeTestData: boolean
}

export interface ExportedFile {
  path: string
  entity?: string
  rows?: number
  bytes: number
  sha256: string
}

/** The table of contents of an export archive. It is part of the archive and also stored with the run. */
export interface ExportManifest {
  formatVersion: 1
  event: { code: string; name: string; client: string }
  asOf: string
  requestedBy: string
  app: string
  options: ExportOptions
  files: ExportedFile[]
  totals: ReportRow
  leftOut: { name: string; reason: string }[]
}
