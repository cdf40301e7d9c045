import { CompiledQuery } from 'kysely'
import type { WriteWebhookDeliveries } from '../../kernel/announce.ts'
import type { Database } from '../../kernel/ports.ts'
import { CODE_PATTERN, newId } from '../../kernel/ids.ts'
import type { DerivedKeys, Secret } from '../../kernel/secrets.ts'
import { computeActivationCodeHmacs } from './activation-codes.ts'
import { parseBadgeIds } from './badge-payload.ts'
import { type LeadSettings, readLeadSettings, findCachedLeadSettings } from './lead-settings.ts'
import { type SampleLead, buildSampleLead } from './sample-leads.ts'
import { toFailedAttemptsKey } from './scan-sql.ts'
import { BADGE_SCAN_SQL } from './scan-statement.ts'
import { type ParticipantWithPictures, toPersonShownOnScanner } from './shown-person.ts'
import type { PersonVisibleToExhibitors } from './visibility.ts'

/** A badge scan as sent by a scanner. */
export interface BadgeScanRequest {
  tenantCode: string
  clientCode: string
  eventCode: string
  activationCode: Secret
  badge: string
  /** Client address; failed attempts are counted per address. */
  address: string
}

export interface ScannedLead extends PersonVisibleToExhibitors {
  leadId: string
  badgeId: string
  source: 'sdk'
  captures: number
  firstCapturedAt: Date
  lastCapturedAt: Date
}

export type BadgeScanResult =
  | { kind: 'lead'; companyId: string; lead: ScannedLead }
  | { kind: 'sample'; companyId: string; lead: SampleLead }
  | { kind: 'refused'; why: 'invalid_activation' | 'not_licensed' | 'badge_not_found'; companyId?: string; failures: number | null }
  | { kind: 'tooMany'; retryAfter: number }

interface ScanRow extends ParticipantWithPictures {
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
  /** Failed scans of the event in the current hour; null if this scan succeeded. */
  failures: number | null
}

export interface BadgeScanServices {
  database: Pick<Database, 'pool' | 'read' | 'transact'>
  writeAnnouncements: WriteWebhookDeliveries
  keys: DerivedKeys
  baseUrl: string
}

/** The badge id of the sample badge. Scanning it returns a sample lead. */
export const SAMPLE_BADGE_ID = '0'
/**
 * Maximum number of attempts of a scan, which is retried if the configuration changes meanwhile. More changes during one scan are not
 * plausible.
 */
const MAX_ATTEMPTS = 5

/**
 * Normalizes the codes of tenant, client and event for the database query. Invalid codes become empty, because they could contain
 * characters that the database rejects.
 */
export function normalizeEventCodes({
  tenantCode,
  clientCode,
  eventCode,
}: Pick<BadgeScanRequest, 'tenantCode' | 'clientCode' | 'eventCode'>): [string, string, string] {
  const codes = [tenantCode, clientCode, eventCode].map((code) => code.toLowerCase()) as [string, string, string]
  return codes.every((code) => CODE_PATTERN.test(code)) ? codes : ['', '', '']
}

/** Records that a company scanned a badge, and returns the data that the participant shares. */
export async function scanBadge(scanners: BadgeScanServices, scan: BadgeScanRequest): Promise<BadgeScanResult> {
  const named = normalizeEventCodes(scan)
  const place = named.join('/')
  const signatures = computeActivationCodeHmacs(scanners.keys, scan.activationCode)
  let settings = findCachedLeadSettings(place)
  let announces = false
  for (let reading = 0; reading < MAX_ATTEMPTS; reading++) {
    const names = settings && scan.badge !== SAMPLE_BADGE_ID ? parseBadgeIds(scan.badge, settings.formats, scanners.baseUrl) : []
    const captureId = newId()
    const values = [
      signatures,
      ...named,
      toFailedAttemptsKey(scan.address),
      settings?.version ?? null,
      names.map(({ id }) => id),
      names.map(({ anyCase }) => anyCase),
      newId(),
      captureId,
      scan.badge === SAMPLE_BADGE_ID,
      settings?.config.exhibitorConfig.leadLicencesNeedPayment ?? false,
      announces,
    ]
    const row: ScanRow = announces
      ? await scanAndAnnounce(scanners, values, named[0], captureId)
      : (await scanners.database.pool.query<ScanRow>(BADGE_SCAN_SQL, values)).rows[0]!
    if (row.company_id === null && !row.may_try) return { kind: 'tooMany', retryAfter: row.seconds_left }
    if (row.company_id === null) return { kind: 'refused', why: 'invalid_activation', failures: row.failures }
    if (row.fresh) return toScanResult(scanners, scan, row, settings!)
    announces = row.heard
    if (row.known) continue
    const at = { tenantId: row.tenant_id!, db: scanners.database.read, event: { id: row.event_id, code: row.event_code } }
    settings = await readLeadSettings(place, at)
  }
  throw new Error('the configuration changed repeatedly during one scan')
}

/** Stores the scan of a badge and its webhook message `lead.captured` in one transaction. Scans are not written to the audit log. */
const scanAndAnnounce = (
  { database, writeAnnouncements }: BadgeScanServices,
  values: unknown[],
  tenantCode: string,
  captureId: string,
): Promise<ScanRow> =>
  database.transact(async (db) => {
    const { rows } = await db.executeQuery<ScanRow>(CompiledQuery.raw(BADGE_SCAN_SQL, values))
    const row = rows[0]!
    if (row.lead_id === null) return row
    const [id, eventId, changed] = [row.lead_id, row.event_id, ['captures', 'lastCapturedAt']]
    const news = { kind: 'lead.captured' as const, entity: 'lead', id, eventId, changed, occurrence: captureId }
    await writeAnnouncements({ db, tenantId: row.tenant_id!, tenantCode }, [news])
    return row
  })

function toScanResult(scanners: BadgeScanServices, scan: BadgeScanRequest, row: ScanRow, { config }: LeadSettings): BadgeScanResult {
  const companyId = row.company_id!
  const refused = (why: 'not_licensed' | 'badge_not_found') => ({ kind: 'refused', why, companyId, failures: row.failures }) as const
  if (!row.may_call) return { kind: 'tooMany', retryAfter: row.seconds_left }
  if (!row.licensed) return refused('not_licensed')
  if (scan.badge === SAMPLE_BADGE_ID) {
    const { now, starts_on: firstDay, locale } = row
    return { kind: 'sample', companyId, lead: buildSampleLead(config, { now, firstDay, locale, baseUrl: scanners.baseUrl }) }
  }
  if (row.lead_id === null) return refused('badge_not_found')
  const lead = {
    leadId: row.lead_id,
    badgeId: row.badge_id,
    source: 'sdk' as const,
    captures: row.captures,
    firstCapturedAt: row.first_captured_at,
    lastCapturedAt: row.last_captured_at,
    ...toPersonShownOnScanner(scanners, { tenantCode: scan.tenantCode.toLowerCase(), now: row.now, locale: row.locale, config }, row),
  }
  return { kind: 'lead', companyId, lead }
}
