import { oneOf, object, text } from '../../kernel/args.ts'
import type { AppError } from '../../kernel/errors.ts'

/** A data source that a hotel search used: whether it responded, and the attribution that its license requires. */
export const CatalogSourceShape = object({
  name: text(),
  status: oneOf(['ok', 'failed', 'skipped', 'notConfigured']),
  reason: text().optional(),
  attribution: text().optional(),
})

export interface CatalogSourceStatus {
  name: string
  status: 'ok' | 'failed' | 'skipped' | 'notConfigured'
  reason?: string
  attribution?: string
}

/** The attribution that the Open Database License requires wherever OpenStreetMap data is shown. */
export const OSM_ATTRIBUTION = '© OpenStreetMap contributors, ODbL 1.0'

export const createFailedSourceStatus = (
  { name, attribution }: { name: string; attribution: string },
  error: AppError,
): CatalogSourceStatus => ({
  name,
  status: 'failed',
  reason: error.message,
  attribution,
})
