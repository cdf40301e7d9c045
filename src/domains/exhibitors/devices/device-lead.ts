import type { Context } from '../../../kernel/context.ts'
import type { LeadSettings } from '../lead-settings.ts'
import { SEEN } from '../scan-parts.ts'
import { type PicturedPerson, shownPerson } from '../shown-person.ts'
import type { CaptureType } from '../tables.ts'
import type { VisiblePerson } from '../visibility.ts'
import type { KnownDevice } from './verify.ts'

/** A lead as the devices of its company see it: what the person shares, and what the company noted itself. */
export interface DeviceLead extends VisiblePerson {
  leadId: string
  /** What was scanned just now. A badge that replaced it since is nothing to whoever did not scan it. */
  badgeId?: string
  source: CaptureType
  captures: number
  firstCapturedAt: Date | null
  lastCapturedAt: Date | null
  rating: number | null
  notes: string | null
  tags: string[]
  qualifiers: Record<string, unknown>
  updatedAt: Date
}

export interface DeviceLeadRow extends PicturedPerson {
  lead_id: string
  source: CaptureType
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

/** Of the lead `l` of the participant `p`. */
export const DEVICE_LEAD = `l.id as lead_id, l.source, l.captures, l.first_captured_at, l.last_captured_at, l.rating, l.notes, l.tags, l.qualifiers,
  l.updated_at, l.status = 'deleted' as deleted, ${SEEN}`

export function deviceLead(
  parts: Pick<Context, 'keys' | 'baseUrl'>,
  { tenantCode, locale, now }: KnownDevice,
  { config }: LeadSettings,
  row: DeviceLeadRow,
): DeviceLead {
  return {
    leadId: row.lead_id,
    source: row.source,
    captures: row.captures,
    firstCapturedAt: row.first_captured_at,
    lastCapturedAt: row.last_captured_at,
    ...shownPerson(parts, { tenantCode, now, locale, config }, row),
    rating: row.rating,
    notes: row.notes,
    tags: row.tags,
    qualifiers: row.qualifiers,
    updatedAt: row.updated_at,
  }
}
