import { CompiledQuery } from 'kysely'
import type { Announcement } from '../../../kernel/announce.ts'
import type { Db } from '../../../kernel/columns.ts'
import { MetAnother } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { badgeNamesIn } from '../badge-payload.ts'
import type { LeadSettings } from '../lead-settings.ts'
import { sampleLead } from '../sample-leads.ts'
import { SAMPLE, type Scanners } from '../scan.ts'
import { FAIL, HOLD, KNOWN, LEADS, NOTE, PEOPLE, STAFF, WRITE } from './capture-statements.ts'
import { type DeviceLead, deviceLead, type DeviceLeadRow } from './device-lead.ts'
import { changedNotes, type LeadNotes, noted } from './lead-notes.ts'
import { keptQualifiers } from './qualifiers.ts'
import type { KnownDevice } from './verify.ts'

/** One scan as a device kept it. */
export interface SentCapture {
  badge: string
  at: Date
  /** Different for every scan of the company: what is sent again is known by it. */
  nonce: string
  staffEmail?: string | undefined
  rating?: number | null | undefined
  notes?: string | null | undefined
  tags?: string[] | undefined
  qualifiers?: Readonly<Record<string, unknown>> | undefined
}

export interface Batch {
  captures: readonly SentCapture[]
  /** By the clock of the device. */
  sentAt?: Date | undefined
  appVersion?: string | undefined
}

/** What became of one scan; an app shows exactly one of the four. */
export interface Captured {
  nonce: string
  result: 'created' | 'counted' | 'duplicate' | 'unknown_badge'
  lead?: DeviceLead & { isTest?: true }
  /** What of it could not be kept: somebody who is not staff, an answer to no question. */
  leftOut?: string[]
}

export interface Synced {
  /** Only those that were taken: of a revoked device what it scanned before, for a day. */
  results: Captured[]
  revoked: boolean
  /** Of this event in this hour, with these. */
  failures: { count: number; added: number } | null
}

/** A clock that differs by no more is right. */
const TRUSTED_SKEW_MS = 5000
const AFTER_REVOKING_MS = 24 * 3600 * 1000
const MOST_SKEW = 2_147_483_647

type At = Pick<KnownDevice, 'now'> & { skew: number }

/** When something happened by our clock. Nothing happens after it was told. */
const corrected = (at: Date, { now, skew }: At): Date =>
  new Date(Math.min(now.getTime(), Math.abs(skew) > TRUSTED_SKEW_MS ? at.getTime() - skew : at.getTime()))

/** Keeps what a device scanned: all of it in one transaction, each scan once, whichever batch it comes in. */
export async function captureBatch(scanners: Scanners, device: KnownDevice, settings: LeadSettings, batch: Batch): Promise<Synced> {
  const skew = batch.sentAt ? batch.sentAt.getTime() - device.now.getTime() : 0
  const scans = batch.captures.map((scan) => ({ ...scan, at: corrected(scan.at, { now: device.now, skew }) }))
  const synced = await scanners.database.transact(async (db) => {
    const ask = asking(db, device)
    const noteSkew = batch.sentAt ? Math.max(-MOST_SKEW, Math.min(MOST_SKEW, skew)) : null
    const [held] = await ask<{ revoked_at: Date | null }>(HOLD, [device.deviceId, noteSkew, batch.appVersion ?? null])
    const revokedAt = held!.revoked_at
    const taken = revokedAt === null ? scans : scans.filter(({ at }) => wasBefore(at, revokedAt, device.now))
    return { results: await keep(scanners, { db, device, settings }, taken), revoked: revokedAt !== null }
  })
  const added = synced.results.filter(({ result }) => result === 'unknown_badge').length
  if (added === 0) return { ...synced, failures: null }
  return { ...synced, failures: { count: await countFailures(scanners, device.eventId, added), added } }
}

/** For alarms: failures of an event in this hour, with these. */
export async function countFailures({ database }: Pick<Scanners, 'database'>, eventId: string, added: number): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(FAIL, [eventId, added])
  return rows[0]!.count
}

const wasBefore = (at: Date, revokedAt: Date, now: Date) => at < revokedAt && now.getTime() - revokedAt.getTime() < AFTER_REVOKING_MS

/** Statements of a batch: the tenant and the event come first in each. */
const asking =
  (db: Db, { tenantId, eventId }: KnownDevice) =>
  async <Row>(text: string, values: readonly unknown[]): Promise<Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(text, [tenantId, eventId, ...values]))).rows

interface Keeping {
  db: Db
  device: KnownDevice
  settings: LeadSettings
}

async function keep(scanners: Scanners, keeping: Keeping, scans: readonly SentCapture[]): Promise<Captured[]> {
  if (scans.length === 0) return []
  const { db, device, settings } = keeping
  const ask = asking(db, device)
  const { companyId } = device
  const nonces = [...new Set(scans.map(({ nonce }) => nonce))]
  const known = new Set((await ask<{ nonce: string }>(KNOWN, [companyId, nonces])).map(({ nonce }) => nonce))
  const people = await peopleOf(scanners, keeping, scans)
  const staff = await staffOf(keeping, scans)
  // Of two in one batch the first is the scan.
  const told = new Set(known)
  const fresh = scans.flatMap((scan, index) => {
    const person = people.get(index)
    if (!person || told.has(scan.nonce)) return []
    told.add(scan.nonce)
    const { kept, leftOut } = keptQualifiers(settings.config, scan.qualifiers ?? {})
    const staffId = staff.get(scan.staffEmail?.toLowerCase() ?? '') ?? null
    if (scan.staffEmail !== undefined && staffId === null) leftOut.push('staffEmail')
    return [{ ...scan, index, person, id: newId(), qualifiers: kept, staffId, leftOut }]
  })
  const made = await write(scanners, keeping, fresh)
  const rows = await ask<DeviceLeadRow & { nonce: string }>(LEADS, [companyId, nonces])
  const leads = new Map(rows.filter(({ deleted }) => !deleted).map((row) => [row.nonce, deviceLead(scanners, device, settings, row)]))
  const freshAt = new Map(fresh.map((one) => [one.index, one]))
  return scans.map(({ badge, nonce }, index): Captured => {
    const lead = leads.get(nonce)
    const one = freshAt.get(index)
    if (one) {
      const result = made.has(one.id) ? 'created' : 'counted'
      const shown = { nonce, result, lead: { ...lead!, badgeId: one.person.badgeId } } as const
      return one.leftOut.length === 0 ? shown : { ...shown, leftOut: one.leftOut }
    }
    if (badge === SAMPLE) return { nonce, result: 'created', lead: sampleFor(scanners, keeping) }
    if (!known.has(nonce) && !people.has(index)) return { nonce, result: 'unknown_badge' }
    return { nonce, result: 'duplicate', ...(lead ? { lead } : {}) }
  })
}

interface Worn {
  id: string
  badgeId: string
}

/** Who wears each badge, by its place in the batch. */
async function peopleOf(
  { baseUrl }: Scanners,
  { db, device, settings }: Keeping,
  scans: readonly SentCapture[],
): Promise<Map<number, Worn>> {
  // Test data is scanned at the test event.
  if (device.isTestData) return new Map()
  const names = scans.flatMap(({ badge }, capture) =>
    badge === SAMPLE ? [] : badgeNamesIn(badge, settings.formats, baseUrl).map((name) => ({ capture, ...name })),
  )
  const rows = await asking(db, device)<{ capture: number; id: string; badge_id: string }>(PEOPLE, [
    names.map(({ capture }) => capture),
    names.map(({ id }) => id),
    names.map(({ anyCase }) => anyCase),
  ])
  return new Map(rows.map(({ capture, id, badge_id }) => [capture, { id, badgeId: badge_id }]))
}

async function staffOf({ db, device }: Keeping, scans: readonly SentCapture[]): Promise<Map<string, string>> {
  const emails = [...new Set(scans.flatMap(({ staffEmail }) => staffEmail?.toLowerCase() ?? []))]
  if (emails.length === 0) return new Map()
  const rows = await asking(db, device)<{ id: string; email_norm: string }>(STAFF, [device.companyId, emails])
  return new Map(rows.map(({ id, email_norm }) => [email_norm, id]))
}

interface Fresh extends Omit<SentCapture, 'qualifiers'> {
  id: string
  person: Worn
  qualifiers: Record<string, unknown>
  staffId: string | null
}

interface LeadRow extends LeadNotes {
  id: string
  participant_id: string
  made: boolean
  captured: number
}

/** Writes leads, captures and what was noted, and tells integrators. Returns those captures that made a lead. */
async function write({ writeAnnounced }: Scanners, { db, device }: Keeping, fresh: readonly Fresh[]): Promise<Set<string>> {
  if (fresh.length === 0) return new Set()
  const ask = asking(db, device)
  const byPerson = Map.groupBy(fresh, ({ person }) => person.id)
  const rows = await ask<LeadRow>(WRITE, [
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
  // Another device of the company sent one of the nonces in the same moment: seen from the start, it is known.
  if (rows[0]!.captured < fresh.length) throw new MetAnother('another device sent the same scan')
  const changes = rows.map((row) => {
    const { id, rating, notes, tags, qualifiers, staff_id } = row
    const before = { rating, notes, tags, qualifiers, staff_id }
    const scans = byPerson.get(row.participant_id)!
    return { id, made: row.made, first: scans[0]!, scans, before, after: noted(before, scans) }
  })
  const differing = changes.filter(({ before, after }) => changedNotes(before, after).length > 0 || before.staff_id !== after.staff_id)
  if (differing.length > 0) await ask(NOTE, [JSON.stringify(differing.map(({ id, after }) => ({ id, ...after })))])
  const eventId = device.eventId
  const news = changes.flatMap(({ id, made, scans, before, after }): Announcement[] => {
    const captured = scans.map((scan): Announcement => ({
      kind: 'lead.captured',
      entity: 'lead',
      id,
      eventId,
      changed: ['captures', 'lastCapturedAt'],
      occurrence: scan.id,
    }))
    const changed = changedNotes(before, after)
    return made || changed.length === 0 ? captured : [...captured, { kind: 'lead.updated', entity: 'lead', id, eventId, changed }]
  })
  await writeAnnounced({ db, tenantId: device.tenantId, tenantCode: device.tenantCode }, news)
  return new Set(changes.filter(({ made }) => made).map(({ first }) => first.id))
}

/** What a lead will look like at this event. Nobody is looked up, nothing is kept. */
function sampleFor({ baseUrl }: Scanners, { device: { now, startsOn, locale }, settings }: Keeping): DeviceLead & { isTest: true } {
  const sample = sampleLead(settings.config, { now, firstDay: startsOn, locale, baseUrl })
  return { ...sample, source: 'device', rating: null, notes: null, tags: [], qualifiers: {}, updatedAt: now }
}
