import { CompiledQuery } from 'kysely'
import type { WriteAnnounced } from '../../kernel/announce.ts'
import type { Database } from '../../kernel/ports.ts'
import { CODE_PATTERN, newId } from '../../kernel/ids.ts'
import type { Keys, Secret } from '../../kernel/secrets.ts'
import { signaturesOf } from './activation-codes.ts'
import { badgeNamesIn } from './badge-payload.ts'
import { type LeadSettings, readSettings, recallSettings } from './lead-settings.ts'
import { type SampleLead, sampleLead } from './sample-leads.ts'
import { triesKey } from './scan-parts.ts'
import { SCAN } from './scan-statement.ts'
import { type PicturedPerson, shownPerson } from './shown-person.ts'
import type { VisiblePerson } from './visibility.ts'

/** What a scanner sends, as it sent it. */
export interface Scan {
  tenantCode: string
  clientCode: string
  eventCode: string
  activationCode: Secret
  badge: string
  /** Whose failures are counted together. */
  address: string
}

export interface Lead extends VisiblePerson {
  leadId: string
  badgeId: string
  source: 'sdk'
  captures: number
  firstCapturedAt: Date
  lastCapturedAt: Date
}

export type Scanned =
  | { kind: 'lead'; companyId: string; lead: Lead }
  | { kind: 'sample'; companyId: string; lead: SampleLead }
  | { kind: 'refused'; why: 'invalid_activation' | 'not_licensed' | 'badge_not_found'; companyId?: string; failures: number | null }
  | { kind: 'tooMany'; retryAfter: number }

interface ScanRow extends PicturedPerson {
  now: Date
  may_try: boolean
  seconds_left: number
  tenant_id: number | null
  event_id: string
  event_code: string
  locale: string
  starts_on: string
  company_id: string | null
  known: boolean
  heard: boolean
  fresh: boolean
  licensed: boolean
  may_call: boolean
  badge_id: string
  lead_id: string | null
  captures: number
  first_captured_at: Date
  last_captured_at: Date
  /** Of this event in this hour, when this is one of them. */
  failures: number | null
}

export interface Scanners {
  database: Pick<Database, 'pool' | 'read' | 'transact'>
  writeAnnounced: WriteAnnounced
  keys: Keys
  baseUrl: string
}

/** As a badge it is nobody's, and shows what a lead will look like. */
export const SAMPLE = '0'
/** A version is published now and then; somebody who publishes faster than this reads is no organizer. */
const MAX_READINGS = 5

/** The codes of a place as they are looked up. What cannot be a code is nobody's, and may hold what the database does not take. */
export function namedCodes({
  tenantCode,
  clientCode,
  eventCode,
}: Pick<Scan, 'tenantCode' | 'clientCode' | 'eventCode'>): [string, string, string] {
  const codes = [tenantCode, clientCode, eventCode].map((code) => code.toLowerCase()) as [string, string, string]
  return codes.every((code) => CODE_PATTERN.test(code)) ? codes : ['', '', '']
}

/** Records that a company scanned a badge, and tells what it may know of who wears it. */
export async function scanBadge(scanners: Scanners, scan: Scan): Promise<Scanned> {
  const named = namedCodes(scan)
  const place = named.join('/')
  const signatures = signaturesOf(scanners.keys, scan.activationCode)
  let settings = recallSettings(place)
  let telling = false
  for (let reading = 0; reading < MAX_READINGS; reading++) {
    const names = settings && scan.badge !== SAMPLE ? badgeNamesIn(scan.badge, settings.formats, scanners.baseUrl) : []
    const captureId = newId()
    const values = [
      signatures,
      ...named,
      triesKey(scan.address),
      settings?.version ?? null,
      names.map(({ id }) => id),
      names.map(({ anyCase }) => anyCase),
      newId(),
      captureId,
      scan.badge === SAMPLE,
      settings?.config.exhibitorConfig.leadLicencesNeedPayment ?? false,
      telling,
    ]
    const row: ScanRow = telling
      ? await scanAndTell(scanners, values, named[0], captureId)
      : (await scanners.database.pool.query<ScanRow>(SCAN, values)).rows[0]!
    if (!row.may_try) return { kind: 'tooMany', retryAfter: row.seconds_left }
    if (row.company_id === null) return { kind: 'refused', why: 'invalid_activation', failures: row.failures }
    if (row.fresh) return outcomeOf(scanners, scan, row, settings!)
    telling = row.heard
    if (row.known) continue
    const at = { tenantId: row.tenant_id!, db: scanners.database.read, event: { id: row.event_id, code: row.event_code } }
    settings = await readSettings(place, at)
  }
  throw new Error('the configuration changed again and again while a badge was read by it')
}

/** A scan is no change that anybody undoes or looks up in the audit log, so it is kept by itself; integrators are told in its transaction all the same. */
const scanAndTell = ({ database, writeAnnounced }: Scanners, values: unknown[], tenantCode: string, captureId: string): Promise<ScanRow> =>
  database.transact(async (db) => {
    const { rows } = await db.executeQuery<ScanRow>(CompiledQuery.raw(SCAN, values))
    const row = rows[0]!
    if (row.lead_id === null) return row
    const [id, eventId, changed] = [row.lead_id, row.event_id, ['captures', 'lastCapturedAt']]
    const news = { kind: 'lead.captured' as const, entity: 'lead', id, eventId, changed, occurrence: captureId }
    await writeAnnounced({ db, tenantId: row.tenant_id!, tenantCode }, [news])
    return row
  })

function outcomeOf(scanners: Scanners, scan: Scan, row: ScanRow, { config }: LeadSettings): Scanned {
  const companyId = row.company_id!
  const refused = (why: 'not_licensed' | 'badge_not_found') => ({ kind: 'refused', why, companyId, failures: row.failures }) as const
  if (!row.may_call) return { kind: 'tooMany', retryAfter: row.seconds_left }
  if (!row.licensed) return refused('not_licensed')
  if (scan.badge === SAMPLE) {
    const { now, starts_on: firstDay, locale } = row
    return { kind: 'sample', companyId, lead: sampleLead(config, { now, firstDay, locale, baseUrl: scanners.baseUrl }) }
  }
  if (row.lead_id === null) return refused('badge_not_found')
  const lead = {
    leadId: row.lead_id,
    badgeId: row.badge_id,
    source: 'sdk' as const,
    captures: row.captures,
    firstCapturedAt: row.first_captured_at,
    lastCapturedAt: row.last_captured_at,
    ...shownPerson(scanners, { tenantCode: scan.tenantCode.toLowerCase(), now: row.now, locale: row.locale, config }, row),
  }
  return { kind: 'lead', companyId, lead }
}
