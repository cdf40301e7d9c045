import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import type { EventSummaryRow } from '../../../kernel/context.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { addDays, addMonths } from '../../../kernel/time.ts'
import { type HousingQueryContext, readTodayAtEvent } from '../context.ts'

export const PCI_STATUSES = ['missing', 'received', 'rejected', 'valid', 'expiring', 'expired'] as const
export type PciStatus = (typeof PCI_STATUSES)[number]
export type PciRecordRow = Selectable<Tables['hotel_pci_records']>
export type PciOverrideRow = Selectable<Tables['hotel_pci_overrides']>

const MONTHS_VALID = 12
const EXPIRING_DAYS = 60

export const getAttestationExpiry = ({ assessed_on }: Pick<PciRecordRow, 'assessed_on'>): string => addMonths(assessed_on, MONTHS_VALID)

/** Returns the status of an attestation on a day. A brand's attestation that does not cover the property counts as rejected. */
export function getPciStatus(record: PciRecordRow | null, today: string): PciStatus {
  if (!record) return 'missing'
  if (record.decision === 'rejected' || record.result === 'nonCompliant' || !record.property_covered) return 'rejected'
  if (record.decision === null) return 'received'
  const until = getAttestationExpiry(record)
  if (today > until) return 'expired'
  return until <= addDays(today, EXPIRING_DAYS) ? 'expiring' : 'valid'
}

/** The PCI status of a hotel at an event, which decides whether card data may be sent to the hotel. */
export interface HotelPciStatus {
  hotelId: string
  name: string
  /** The attestation that decides whether card data may be sent to the hotel. */
  record: PciRecordRow | null
  /** A newer attestation that waits for its review while `record` is still valid. */
  renewal: PciRecordRow | null
  status: PciStatus
  /** The override in force today, which allows cards without a valid attestation; null if there is none. */
  override: PciOverrideRow | null
  /** An override that still needs the approval of a second person; null if there is none, or if its last day has passed. */
  request: PciOverrideRow | null
  /** Whether card data may be sent to the hotel: with a valid attestation or an override in force. */
  isOpen: boolean
  /** Number of rooms guaranteed by a card whose data is withheld from the hotel. */
  cardsWaiting: number
}

export type PciStatusContext = HousingQueryContext & { client: { id: string }; event: Pick<EventSummaryRow, 'id' | 'timezone'> }

/**
 * Returns the key under which a client's attestations of a hotel are stored. For a hotel of the catalog it is its catalog reference, so
 * that all events of the client share the attestations.
 */
export const getPciAttestationKey = ({ id, catalog_ref }: { id: string; catalog_ref: string | null }): string => catalog_ref ?? `own:${id}`

/** Reads the PCI status of the hotels of an event, by name. */
export async function listHotelPciStatuses(ctx: PciStatusContext, hotelIds?: readonly string[]): Promise<HotelPciStatus[]> {
  const today = await readTodayAtEvent(ctx)
  const hotels = await eventDb(ctx)
    .selectFrom('event_hotels')
    .select(['id', 'name', 'catalog_ref'])
    .where('retired', '=', false)
    .$if(hotelIds !== undefined, (query) => query.where('id', '=', sql<string>`any(${[...hotelIds!]})`))
    .orderBy('name')
    .orderBy('id')
    .execute()
  const records = Map.groupBy(await listLatestRecords(ctx, hotels.map(getPciAttestationKey)), ({ hotel_ref }) => hotel_ref)
  const overrides = await eventDb(ctx).selectFrom('hotel_pci_overrides').selectAll().where('revoked_at', 'is', null).execute()
  const cards = await countCards(ctx)
  return hotels.map((hotel) => {
    const { record, renewal } = selectEffectiveAttestation(records.get(getPciAttestationKey(hotel)) ?? [], today)
    const status = getPciStatus(record, today)
    const current = overrides.filter(({ hotel_id, until }) => hotel_id === hotel.id && today <= until)
    const override = current.find(({ granted_by }) => granted_by !== null) ?? null
    const isOpen = hasValidPciAttestation(status) || override !== null
    return {
      hotelId: hotel.id,
      name: hotel.name,
      record,
      renewal,
      status,
      override,
      request: current.find(({ granted_by }) => granted_by === null) ?? null,
      isOpen,
      cardsWaiting: isOpen ? 0 : (cards.get(hotel.id) ?? 0),
    }
  })
}

/** Reads the status of the client's attestation for a hotel, whose attestations may be stored under several references. */
export async function readPciStatus(ctx: PciStatusContext, references: readonly string[]): Promise<PciStatus> {
  const today = await readTodayAtEvent(ctx)
  return getPciStatus(selectEffectiveAttestation(await listLatestRecords(ctx, references), today).record, today)
}

/** Finds the reference under which the client's newest attestation of a hotel is stored; null without an attestation. */
export async function findPciAttestationKey(ctx: PciStatusContext, references: readonly string[]): Promise<string | null> {
  const [latest] = (await listLatestRecords(ctx, references)).toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime())
  return latest?.hotel_ref ?? null
}

export const hasValidPciAttestation = (status: PciStatus): boolean => status === 'valid' || status === 'expiring'

/**
 * Selects the attestation that counts: the latest one. While the latest one waits for a review, an accepted previous one counts until it
 * expires.
 */
export function selectEffectiveAttestation(records: readonly PciRecordRow[], today: string): Pick<HotelPciStatus, 'record' | 'renewal'> {
  const sorted = records.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1))
  const [latest = null] = sorted
  if (getPciStatus(latest, today) !== 'received') return { record: latest, renewal: null }
  const before = sorted.find((record) => getPciStatus(record, today) !== 'received') ?? null
  return hasValidPciAttestation(getPciStatus(before, today)) ? { record: before, renewal: latest } : { record: latest, renewal: null }
}

/** Reads the latest attestation that waits for a review and the latest other one, for each reference under which they are stored. */
async function listLatestRecords(ctx: PciStatusContext, references: readonly string[]): Promise<PciRecordRow[]> {
  const isReceived = sql`(decision is null and result <> 'nonCompliant' and property_covered)`
  const { rows } = await sql<PciRecordRow>`
    select distinct on (hotel_ref, ${isReceived}) * from hotel_pci_records
    where tenant_id = ${ctx.tenantId} and client_id = ${ctx.client.id} and hotel_ref = any(${references})
    order by hotel_ref, ${isReceived}, created_at desc, id desc`.execute(ctx.db)
  return rows
}

/** Counts the confirmed rooms guaranteed by a saved card, by hotel. Test data has no cards that could be sent. */
async function countCards(ctx: HousingQueryContext): Promise<Map<string, number>> {
  const rows = await eventDb(ctx)
    .selectFrom('reservations')
    .select(['hotel_id', (eb) => eb.fn.countAll<number>().as('cards')])
    .where('status', '=', 'confirmed')
    .where('guarantee_kind', '=', 'card')
    .where('guarantee_status', '=', 'secured')
    .where('is_test_data', '=', false)
    .groupBy('hotel_id')
    .execute()
  return new Map(rows.map(({ hotel_id, cards }) => [hotel_id, Number(cards)]))
}
