import { sql } from 'kysely'
import { count, day, flag, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { conflict, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { paginateSorted } from '../../../kernel/page.ts'
import { tenantDb } from '../../../kernel/scoped-db.ts'
import { addDays } from '../../../kernel/time.ts'
import { readTodayAtEvent, type HousingContext } from '../context.ts'
import { findHotel } from '../find-hotel.ts'
import type { HotelRow } from '../tables.ts'
import {
  type HotelPciStatus,
  listHotelPciStatuses,
  PCI_STATUSES,
  type PciRecordRow,
  type PciStatus,
  getPciAttestationKey,
  getAttestationExpiry,
} from './status.ts'

export const PCI_DOCUMENT_TYPES = ['AOC-ROC', 'AOC-SAQ'] as const
export const PCI_ATTESTATION_RESULTS = ['compliant', 'nonCompliant', 'compliantWithException'] as const

const Override = object({ reason: untrustedText(), until: day(), by: untrustedText() })

export const PciRecord = object({
  hotelId: text(),
  name: untrustedText(),
  status: oneOf(PCI_STATUSES),
  documentType: oneOf(PCI_DOCUMENT_TYPES).optional(),
  assessedOn: day().optional(),
  validUntil: day().optional(),
  propertyCovered: flag().optional(),
  fileId: text().optional(),
  reviewReason: untrustedText().optional(),
  renewal: object({ documentType: oneOf(PCI_DOCUMENT_TYPES), assessedOn: day(), fileId: text() }).optional(),
  override: Override.optional(),
  overrideRequest: Override.optional(),
  cardsWaiting: count(),
})

export const PciStatusCounts = object(
  Object.fromEntries(PCI_STATUSES.map((status) => [status, count()])) as Record<PciStatus, ReturnType<typeof count>>,
)

export function toPciRecord({ hotelId, name, status, record, renewal, override, request, cardsWaiting }: HotelPciStatus) {
  return {
    hotelId,
    name,
    status,
    ...(record
      ? {
          documentType: record.document_type,
          assessedOn: record.assessed_on,
          validUntil: getAttestationExpiry(record),
          propertyCovered: record.property_covered,
          fileId: record.file_id,
          ...(record.decision_reason === null ? {} : { reviewReason: record.decision_reason }),
        }
      : {}),
    ...(renewal ? { renewal: { documentType: renewal.document_type, assessedOn: renewal.assessed_on, fileId: renewal.file_id } } : {}),
    ...(override ? { override: { reason: override.reason, until: override.until, by: override.granted_by_name! } } : {}),
    ...(request ? { overrideRequest: { reason: request.reason, until: request.until, by: request.requested_by_name! } } : {}),
    cardsWaiting,
  }
}

interface PciFilter {
  hotelId?: string | undefined
  status?: readonly PciStatus[] | undefined
  expiringWithinDays?: number | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * Lists the PCI status of every hotel of the event, including hotels without an attestation. Counts cover all hotels that match the filter.
 */
export async function listPciRecords(ctx: EventContext, { hotelId, status, expiringWithinDays, limit, cursor }: PciFilter) {
  const only = hotelId === undefined ? undefined : [(await findHotel(ctx, hotelId)).hotel.id]
  const all = await listHotelPciStatuses(ctx, only)
  const today = await readTodayAtEvent(ctx)
  const last = expiringWithinDays === undefined ? null : addDays(today, expiringWithinDays)
  const shown = all.filter(
    (one) =>
      (status === undefined || status.includes(one.status)) &&
      (last === null || ((one.status === 'valid' || one.status === 'expiring') && getAttestationExpiry(one.record!) <= last)),
  )
  const counts = Object.fromEntries(PCI_STATUSES.map((name) => [name, shown.filter((one) => one.status === name).length])) as Record<
    PciStatus,
    number
  >
  const { items, ...page } = paginateSorted(
    ctx,
    { limit, cursor },
    {
      rows: shown,
      keyOf: ({ name, hotelId: id }) => [name, id],
      compare: (a, b) => String(a[0]).localeCompare(String(b[0]), 'en') || (a[1]! < b[1]! ? -1 : a[1]! > b[1]! ? 1 : 0),
      shape: toPciRecord,
    },
  )
  return { records: items, counts, ...page }
}

export interface NewAttestation {
  documentType: (typeof PCI_DOCUMENT_TYPES)[number]
  saq?: string | undefined
  dssVersion: string
  entityLegalName: string
  propertyCovered: boolean
  result: (typeof PCI_ATTESTATION_RESULTS)[number]
  assessedOn: string
  signedBy: string
  assessor?: string | undefined
  fileId: string
}

/** Stores an attestation that a hotel has provided. It becomes valid when an organizer accepts it. */
export async function addAttestation(ctx: HousingContext, hotel: HotelRow, given: NewAttestation): Promise<string> {
  const today = await readTodayAtEvent(ctx)
  if (given.assessedOn > today) throw invalidArguments([{ path: 'assessedOn', message: 'must not be in the future' }])
  const id = newId()
  await ctx.db
    .insertInto('hotel_pci_records')
    .values({
      tenant_id: ctx.tenantId,
      client_id: ctx.client.id,
      id,
      hotel_ref: getPciAttestationKey(hotel),
      document_type: given.documentType,
      saq: given.saq ?? null,
      dss_version: given.dssVersion,
      entity_legal_name: given.entityLegalName,
      property_covered: given.propertyCovered,
      result: given.result,
      assessed_on: given.assessedOn,
      signed_by: given.signedBy,
      assessor: given.assessor ?? null,
      file_id: given.fileId,
    })
    .execute()
  recordChange(ctx, { kind: 'hotel', id: hotel.id, after: { attestation: given.documentType, assessedOn: given.assessedOn } })
  return id
}

/** Accepts or rejects an attestation. Each attestation is decided once; a new decision needs a new document. */
export async function reviewAttestation(
  ctx: EventContext,
  hotel: HotelRow,
  { recordId, decision, reason }: { recordId: string; decision: 'accepted' | 'rejected'; reason?: string | undefined },
): Promise<void> {
  if (decision === 'rejected' && !reason) throw invalidArguments([{ path: 'reason', message: 'is required to reject an attestation' }])
  const records = () =>
    tenantDb(ctx).selectFrom('hotel_pci_records').selectAll().where('client_id', '=', ctx.client.id).where('id', '=', recordId)
  const record: PciRecordRow | undefined = await records().where('hotel_ref', '=', getPciAttestationKey(hotel)).executeTakeFirst()
  if (!record) throw notFound(`No attestation ${recordId} of ${hotel.name}`)
  if (decision === 'accepted' && (record.result === 'nonCompliant' || !record.property_covered))
    throw preconditionFailed('An attestation that is not compliant, or does not cover this property, cannot be accepted')
  const { numUpdatedRows } = await tenantDb(ctx)
    .updateTable('hotel_pci_records')
    .set({
      decision,
      decision_reason: decision === 'rejected' ? reason! : null,
      reviewed_by: ctx.actor.id,
      reviewed_by_name: ctx.actor.name,
      reviewed_at: sql<Date>`lanyard_now()`,
    })
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', recordId)
    .where('decision', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw conflict('This attestation was already reviewed')
  recordChange(ctx, { kind: 'hotel', id: hotel.id, after: { attestation: decision, ...(reason ? { reason } : {}) } })
}
