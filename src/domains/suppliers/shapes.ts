import { z } from 'zod'
import { toOneLine, count, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { ROOM_SETUPS } from '../briefs/answers.ts'
import { SUPPLIER_STATES } from './states.ts'
import { SUPPLIER_KINDS } from './supplier-record.ts'
import type { SupplierRow } from './tables.ts'

export const SupplierHistoryCountsShape = object({ rfps: count(), responses: count(), awards: count() })

export const SupplierSummary = object({
  id: text(),
  name: untrustedText(),
  kind: oneOf(SUPPLIER_KINDS),
  city: untrustedText().optional(),
  distanceKm: z.number().optional(),
  sleepingRooms: count().optional(),
  totalMeetingSqm: z.number().optional(),
  status: oneOf(SUPPLIER_STATES.all),
  fit: z.number().optional(),
  history: SupplierHistoryCountsShape,
})
export const SUPPLIER_SUMMARY_FIELDS_TEXT = 'id, name, kind, city, distanceKm, sleepingRooms, totalMeetingSqm, status, fit, history {}'

const words = () => untrustedText().optional()

export const SupplierDetail = object({
  id: text().optional(),
  name: untrustedText(),
  kind: oneOf(SUPPLIER_KINDS),
  status: oneOf(SUPPLIER_STATES.all),
  contacts: list(object({ name: words(), email: words(), phone: words(), role: words() })),
  address: object({ street: words(), postalCode: words(), city: words(), region: words(), country: words() }),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  website: words(),
  chain: words(),
  stars: z.number().optional(),
  sleepingRooms: count().optional(),
  meetingRooms: list(
    object({ name: untrustedText(), areaSqm: z.number().optional(), capacity: z.partialRecord(oneOf(ROOM_SETUPS), count()) }),
  ),
  totalMeetingSqm: z.number().optional(),
  amenities: list(untrustedText()),
  sources: list(object({ kind: oneOf(['typed', 'page', 'catalog', 'provider']), ref: words(), at: text() })),
  revision: count().optional(),
})
export const SUPPLIER_DETAIL_FIELDS_TEXT = 'id, name, kind, status, contacts[], address {}, website, sleepingRooms, meetingRooms[] ...'
export const Supplier = toOneLine(SupplierDetail, SUPPLIER_DETAIL_FIELDS_TEXT)

/** Returns the meeting space in all rooms: as stated, otherwise the sum of the rooms whose area is known. */
export function computeTotalMeetingSqm({
  total_meeting_sqm,
  meeting_rooms,
}: Pick<SupplierRow, 'total_meeting_sqm' | 'meeting_rooms'>): number | null {
  if (total_meeting_sqm !== null) return total_meeting_sqm
  const areas = meeting_rooms.flatMap(({ areaSqm }) => areaSqm ?? [])
  return areas.length === 0 ? null : areas.reduce((sum, area) => sum + area, 0)
}

export const toSupplierSummary = (row: SupplierRow, { fit, distanceKm }: { fit?: number | null; distanceKm?: number | null } = {}) =>
  omitNulls({
    id: row.id,
    name: row.name,
    kind: row.kind,
    city: row.address.city ?? null,
    distanceKm: distanceKm ?? null,
    sleepingRooms: row.sleeping_rooms,
    totalMeetingSqm: computeTotalMeetingSqm(row),
    status: row.status,
    fit: fit ?? null,
    history: { rfps: row.rfps, responses: row.responses, awards: row.awards },
  })

export const toSupplierDetail = (row: SupplierRow): z.input<typeof SupplierDetail> =>
  omitNulls({
    id: row.id,
    name: row.name,
    kind: row.kind,
    status: row.status,
    contacts: row.contacts,
    address: row.address,
    latitude: row.latitude,
    longitude: row.longitude,
    website: row.website,
    chain: row.chain,
    stars: row.stars === null ? null : Number(row.stars),
    sleepingRooms: row.sleeping_rooms,
    meetingRooms: row.meeting_rooms,
    totalMeetingSqm: computeTotalMeetingSqm(row),
    amenities: row.amenities,
    sources: row.sources,
    revision: row.revision,
  })
