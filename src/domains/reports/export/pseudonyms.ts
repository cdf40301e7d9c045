import { createHmac, randomBytes } from 'node:crypto'
import type { ReportRow, ReportValue } from '../../figures/report-table.ts'
import type { ExportedField } from './fields.ts'

/**
 * Replaces identifiers by pseudonyms. The same identifier has the same pseudonym within one export, so that keys still join. The key is
 * random and never stored, so that two exports cannot be compared and no pseudonym can be traced back.
 */
export function createPseudonymizer() {
  const key = randomBytes(32)
  const toPseudonym = (value: string) => createHmac('sha256', key).update(value).digest('base64url').slice(0, 22)
  const replaceValue = (value: ReportValue | undefined): ReportValue => {
    if (value === null || value === undefined) return null
    return Array.isArray(value) ? value.map(toPseudonym) : toPseudonym(String(value))
  }
  return {
    toPseudonym,
    replaceIn: (row: ReportRow, fields: readonly ExportedField[]): ReportRow => {
      const replaced: ReportRow = { ...row }
      for (const { path, isPseudonym } of fields) if (isPseudonym) replaced[path] = replaceValue(row[path])
      return replaced
    },
  }
}

export type Pseudonymizer = ReturnType<typeof createPseudonymizer>
