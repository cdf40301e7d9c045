import type { Context } from '../../../kernel/context.ts'
import type { LeadSettings } from '../lead-settings.ts'
import { PARTICIPANT_SHARING_COLUMNS_SQL } from '../scan-sql.ts'
import { type ParticipantWithPictures, toPersonShownOnScanner } from '../shown-person.ts'
import type { LeadCaptureType } from '../tables.ts'
import type { PersonVisibleToExhibitors } from '../visibility.ts'
import type { VerifiedDevice } from './verify-device.ts'

/** A lead as shown on the company's devices: the data that the participant shares and the company's own notes. */
export interface DeviceLead extends PersonVisibleToExhibitors {
  leadId: string
  /** The badge scanned in this capture. A replacement badge issued later is not shown to devices that did not scan it. */
  badgeId?: string
  source: LeadCaptureType
  captures: number
  firstCapturedAt: Date | null
  lastCapturedAt: Date | null
  rating: number | null
  notes: string | null
  tags: string[]
  qualifiers: Record<string, unknown>
  updatedAt: Date
}

export interface DeviceLeadRow extends ParticipantWithPictures {
  lead_id: string
  source: LeadCaptureType
  captures: number
  first_captured_at: Date | null
  last_captured_at: Date | null
  rating: number | null
  notes: string | null
  tags: string[]
  qualifiers: Record<string, unknown>
  updated_at: Date
  deleted: boolean
}

/** SQL columns of a lead (alias `l`) and its participant (alias `p`). */
export const DEVICE_LEAD_COLUMNS = `l.id as lead_id, l.source, l.captures, l.first_captured_at, l.last_captured_at, l.rating, l.notes, l.tags, l.qualifiers,
  l.updated_at, l.status = 'deleted' as deleted, ${PARTICIPANT_SHARING_COLUMNS_SQL}`

export function toDeviceLead(
  parts: Pick<Context, 'keys' | 'baseUrl'>,
  { tenantCode, locale, now }: VerifiedDevice,
  { config }: LeadSettings,
  row: DeviceLeadRow,
): DeviceLead {
  return {
    leadId: row.lead_id,
    source: row.source,
    captures: row.captures,
    firstCapturedAt: row.first_captured_at,
    lastCapturedAt: row.last_captured_at,
    ...toPersonShownOnScanner(parts, { tenantCode, now, locale, config }, row),
    rating: row.rating,
    notes: row.notes,
    tags: row.tags,
    qualifiers: row.qualifiers,
    updatedAt: row.updated_at,
  }
}
