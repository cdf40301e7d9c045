import { CompiledQuery } from 'kysely'
import type { WebhookAnnouncement } from '../../../kernel/announce.ts'
import type { Db } from '../../../kernel/columns.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { SerializationConflict } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { parseBadgeIds } from '../badge-payload.ts'
import type { LeadSettings } from '../lead-settings.ts'
import { buildSampleLead } from '../sample-leads.ts'
import { SAMPLE_BADGE_ID, type BadgeScanServices } from '../scan.ts'
import {
  COUNT_FAILED_SCANS_SQL,
  LOCK_DEVICE_SQL,
  SELECT_KNOWN_NONCES_SQL,
  SELECT_CAPTURED_LEADS_SQL,
  UPDATE_LEAD_NOTES_SQL,
  SELECT_PARTICIPANTS_SQL,
  SELECT_STAFF_SQL,
  INSERT_LEADS_AND_CAPTURES_SQL,
} from './capture-statements.ts'
import { type DeviceLead, toDeviceLead, type DeviceLeadRow } from './device-lead.ts'
import { listChangedNotes, type LeadNotes, applyLeadCaptureNotes } from './lead-notes.ts'
import { validateQualifierAnswers } from './qualifiers.ts'
import type { VerifiedDevice } from './verify-device.ts'

/** One scan as sent by a device. */
export interface SentLeadCapture {
  badge: string
  at: Date
  /** An id that is unique among the company's scans, so that a scan that the device sends again is recognized. */
  nonce: string
  staffEmail?: string | undefined
  rating?: number | null | undefined
  notes?: string | null | undefined
  tags?: string[] | undefined
  qualifiers?: Readonly<Record<string, unknown>> | undefined
}

export interface LeadCaptureBatch {
  captures: readonly SentLeadCapture[]
  /** When the device sent the batch, by the device's own clock. The difference from the server's clock corrects the times of the scans. */
  sentAt?: Date | undefined
  appVersion?: string | undefined
}

/** The result of one scan of a device. */
export interface LeadCaptureResult {
  nonce: string
  result: 'created' | 'counted' | 'duplicate' | 'unknown_badge'
  lead?: DeviceLead & { isTest?: true }
  /** Values that could not be stored: an unknown staff member, or an answer to an unknown question. */
  leftOut?: string[]
}

export interface LeadCaptureBatchResult {
  /** The results of the accepted scans. A revoked device may still send scans from before the revocation for 24 hours. */
  results: LeadCaptureResult[]
  revoked: boolean
  /** Failed scans of the event in the current hour, including those of this batch. */
  failures: { count: number; added: number } | null
}

/** Maximum difference between the clocks of device and server for which times of scans are not corrected. */
const TRUSTED_SKEW_MS = 5000
const REVOKED_GRACE_MS = 24 * 3600 * 1000
const MAX_SKEW_MS = 2_147_483_647

type DeviceClock = Pick<VerifiedDevice, 'now'> & { skew: number }

/** Corrects the time of a scan by the difference between the clocks of device and server. The result is never later than now. */
const correctClock = (at: Date, { now, skew }: DeviceClock): Date =>
  new Date(Math.min(now.getTime(), Math.abs(skew) > TRUSTED_SKEW_MS ? at.getTime() - skew : at.getTime()))

/** Stores a batch of scans in one transaction, each scan once. */
export async function storeLeadCaptureBatch(
  scanners: BadgeScanServices,
  device: VerifiedDevice,
  settings: LeadSettings,
  batch: LeadCaptureBatch,
): Promise<LeadCaptureBatchResult> {
  const skew = batch.sentAt ? batch.sentAt.getTime() - device.now.getTime() : 0
  const scans = batch.captures.map((scan) => ({ ...scan, at: correctClock(scan.at, { now: device.now, skew }) }))
  const synced = await scanners.database.transact(async (db) => {
    const ask = statementRunner(db, device)
    const noteSkew = batch.sentAt ? Math.max(-MAX_SKEW_MS, Math.min(MAX_SKEW_MS, skew)) : null
    const [held] = await ask<{ revoked_at: Date | null }>(LOCK_DEVICE_SQL, [device.deviceId, noteSkew, batch.appVersion ?? null])
    const revokedAt = held!.revoked_at
    const taken = revokedAt === null ? scans : scans.filter(({ at }) => isFromBeforeRevocation(at, revokedAt, device.now))
    return { results: await storeScans(scanners, { db, device, settings }, taken), revoked: revokedAt !== null }
  })
  const added = synced.results.filter(({ result }) => result === 'unknown_badge').length
  if (added === 0) return { ...synced, failures: null }
  return { ...synced, failures: { count: await countFailedScans(scanners, device.eventId, added), added } }
}

/** Adds to the event's number of failed scans, and returns its total for this hour, which can raise an alarm. */
export async function countFailedScans({ database }: Pick<BadgeScanServices, 'database'>, eventId: string, added: number): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(COUNT_FAILED_SCANS_SQL, [eventId, added])
  return rows[0]!.count
}

const isFromBeforeRevocation = (at: Date, revokedAt: Date, now: Date) =>
  at < revokedAt && now.getTime() - revokedAt.getTime() < REVOKED_GRACE_MS

/** Returns a function that runs an SQL statement whose first two parameters are the ids of tenant and event. */
const statementRunner =
  (db: Db, { tenantId, eventId }: VerifiedDevice) =>
  async <Row>(text: string, values: readonly unknown[]): Promise<Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(text, [tenantId, eventId, ...values]))).rows

interface StoreContext {
  db: Db
  device: VerifiedDevice
  settings: LeadSettings
}

async function storeScans(
  scanners: BadgeScanServices,
  keeping: StoreContext,
  scans: readonly SentLeadCapture[],
): Promise<LeadCaptureResult[]> {
  if (scans.length === 0) return []
  const { db, device, settings } = keeping
  const ask = statementRunner(db, device)
  const { companyId } = device
  const nonces = [...new Set(scans.map(({ nonce }) => nonce))]
  const known = new Set((await ask<{ nonce: string }>(SELECT_KNOWN_NONCES_SQL, [companyId, nonces])).map(({ nonce }) => nonce))
  const people = await findBadgeHolders(scanners, keeping, scans)
  const staff = await findStaff(keeping, scans)
  // If two scans of a batch have the same nonce, only the first one is stored.
  const seenNonces = new Set(known)
  const fresh = scans.flatMap((scan, index) => {
    const person = people.get(index)
    if (!person || seenNonces.has(scan.nonce)) return []
    seenNonces.add(scan.nonce)
    const { kept, leftOut } = validateQualifierAnswers(settings.config, scan.qualifiers ?? {})
    const staffId = staff.get(foldEmailCase(scan.staffEmail ?? '')) ?? null
    if (scan.staffEmail !== undefined && staffId === null) leftOut.push('staffEmail')
    return [{ ...scan, index, person, id: newId(), qualifiers: kept, staffId, leftOut }]
  })
  const made = await writeLeads(scanners, keeping, fresh)
  const rows = await ask<DeviceLeadRow & { nonce: string }>(SELECT_CAPTURED_LEADS_SQL, [companyId, nonces])
  const leads = new Map(rows.filter(({ deleted }) => !deleted).map((row) => [row.nonce, toDeviceLead(scanners, device, settings, row)]))
  const freshAt = new Map(fresh.map((one) => [one.index, one]))
  return scans.map(({ badge, nonce }, index): LeadCaptureResult => {
    const lead = leads.get(nonce)
    const one = freshAt.get(index)
    if (one) {
      const result = made.has(one.id) ? 'created' : 'counted'
      const shown = { nonce, result, lead: { ...lead!, badgeId: one.person.badgeId } } as const
      return one.leftOut.length === 0 ? shown : { ...shown, leftOut: one.leftOut }
    }
    if (badge === SAMPLE_BADGE_ID) return { nonce, result: 'created', lead: toSampleLead(scanners, keeping) }
    if (!known.has(nonce) && !people.has(index)) return { nonce, result: 'unknown_badge' }
    return { nonce, result: 'duplicate', ...(lead ? { lead } : {}) }
  })
}

interface BadgeHolder {
  id: string
  badgeId: string
}

/** Finds the participant whose badge was scanned in each capture. The map's key is the index of the scan in the batch. */
async function findBadgeHolders(
  { baseUrl }: BadgeScanServices,
  { db, device, settings }: StoreContext,
  scans: readonly SentLeadCapture[],
): Promise<Map<number, BadgeHolder>> {
  // Devices of test companies scan no real badges.
  if (device.isTestData) return new Map()
  const names = scans.flatMap(({ badge }, capture) =>
    badge === SAMPLE_BADGE_ID ? [] : parseBadgeIds(badge, settings.formats, baseUrl).map((name) => ({ capture, ...name })),
  )
  const rows = await statementRunner(db, device)<{ capture: number; id: string; badge_id: string }>(SELECT_PARTICIPANTS_SQL, [
    names.map(({ capture }) => capture),
    names.map(({ id }) => id),
    names.map(({ anyCase }) => anyCase),
  ])
  return new Map(rows.map(({ capture, id, badge_id }) => [capture, { id, badgeId: badge_id }]))
}

async function findStaff({ db, device }: StoreContext, scans: readonly SentLeadCapture[]): Promise<Map<string, string>> {
  const emails = [...new Set(scans.flatMap(({ staffEmail }) => (staffEmail ? [foldEmailCase(staffEmail)] : [])))]
  if (emails.length === 0) return new Map()
  const rows = await statementRunner(db, device)<{ id: string; email_norm: string }>(SELECT_STAFF_SQL, [device.companyId, emails])
  return new Map(rows.map(({ id, email_norm }) => [email_norm, id]))
}

interface NewScan extends Omit<SentLeadCapture, 'qualifiers'> {
  id: string
  person: BadgeHolder
  qualifiers: Record<string, unknown>
  staffId: string | null
}

interface LeadRow extends LeadNotes {
  id: string
  participant_id: string
  made: boolean
  captured: number
}

/** Writes leads, captures and notes, with their webhook messages. Returns the ids of captures that created a lead. */
async function writeLeads(
  { writeAnnouncements }: BadgeScanServices,
  { db, device }: StoreContext,
  fresh: readonly NewScan[],
): Promise<Set<string>> {
  if (fresh.length === 0) return new Set()
  const ask = statementRunner(db, device)
  const byPerson = Map.groupBy(fresh, ({ person }) => person.id)
  const rows = await ask<LeadRow>(INSERT_LEADS_AND_CAPTURES_SQL, [
    device.companyId,
    [...byPerson.keys()].map(() => newId()),
    [...byPerson.keys()],
    fresh.map(({ id }) => id),
    fresh.map(({ person }) => person.id),
    fresh.map(({ at }) => at.toISOString()),
    fresh.map(({ staffId }) => staffId),
    fresh.map(({ nonce }) => nonce),
    device.deviceId,
  ])
  // Another device of the company stored one of the nonces concurrently; a retry recognizes it as a duplicate.
  if (rows[0]!.captured < fresh.length) throw new SerializationConflict('another device sent the same scan')
  const changes = rows.map((row) => {
    const { id, rating, notes, tags, qualifiers, staff_id } = row
    const before = { rating, notes, tags, qualifiers, staff_id }
    const scans = byPerson.get(row.participant_id)!
    return { id, made: row.made, first: scans[0]!, scans, before, after: applyLeadCaptureNotes(before, scans) }
  })
  const differing = changes.filter(({ before, after }) => listChangedNotes(before, after).length > 0 || before.staff_id !== after.staff_id)
  if (differing.length > 0) await ask(UPDATE_LEAD_NOTES_SQL, [JSON.stringify(differing.map(({ id, after }) => ({ id, ...after })))])
  const eventId = device.eventId
  const announcements = changes.flatMap(({ id, made, scans, before, after }): WebhookAnnouncement[] => {
    const captured = scans.map((scan): WebhookAnnouncement => ({
      kind: 'lead.captured',
      entity: 'lead',
      id,
      eventId,
      changed: ['captures', 'lastCapturedAt'],
      occurrence: scan.id,
    }))
    const changed = listChangedNotes(before, after)
    return made || changed.length === 0 ? captured : [...captured, { kind: 'lead.updated', entity: 'lead', id, eventId, changed }]
  })
  await writeAnnouncements({ db, tenantId: device.tenantId, tenantCode: device.tenantCode }, announcements)
  return new Set(changes.filter(({ made }) => made).map(({ first }) => first.id))
}

/** Builds a sample lead with this event's fields, without database access. */
function toSampleLead(
  { baseUrl }: BadgeScanServices,
  { device: { now, startsOn, locale }, settings }: StoreContext,
): DeviceLead & { isTest: true } {
  const sample = buildSampleLead(settings.config, { now, firstDay: startsOn, locale, baseUrl })
  return { ...sample, source: 'device', rating: null, notes: null, tags: [], qualifiers: {}, updatedAt: now }
}
