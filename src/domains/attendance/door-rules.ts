import { sql } from 'kysely'
import type { Context, EventSummaryRow } from '../../kernel/context.ts'
import { invalidArguments, type FieldError, notFound } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { wallTimeToInstant } from '../../kernel/time.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { BadgeFormat } from '../exhibitors/badge-payload.ts'
import { readLeadSettings } from '../exhibitors/lead-settings.ts'
import type { ScanPlace, ScanScope } from './tables.ts'

/** The context in which scans at the doors are decided and listed, for organizers and for door devices. */
export interface DoorScanContext extends Context {
  client: { id: string; code: string; name: string }
  event: EventSummaryRow
}

/** The event configuration that applies at the doors: the published version, or the draft before the first publication. */
export interface DoorRules {
  config: Configuration['config']
  facts: Configuration['facts']
  /** Formats of badge QR codes, the current one first. */
  formats: readonly BadgeFormat[]
  /** The version of the door rules, as a text that changes with their source data; null for an event that was never configured. */
  version: string | null
}

export async function readDoorRules(ctx: DoorScanContext): Promise<DoorRules> {
  const draft = await readDraftConfiguration(ctx)
  const { config, facts, versionId, sha256 } = (await readLiveConfiguration(ctx, draft)) ?? draft
  const id = versionId ?? sha256
  // To detect outdated door rules, the SQL function `door_call` compares the version of the rules with the current one.
  const version = id === null ? null : `${id} ${facts.startsOn} ${facts.timezone}`
  return { config, facts, formats: await readBadgeFormats(ctx, id ?? ''), version }
}

/**
 * The part of the door rules that a scan needs, from the version that this process has read last. The SQL function `door_call` checks
 * whether this version is outdated.
 */
export interface CachedDoorRules {
  version: string
  config: { onsite: Pick<Configuration['config']['onsite'], 'gates'> }
  formats: readonly BadgeFormat[]
  /** The door rules as JSON, in the format of the SQL functions that decide scans. */
  sqlRules: string
}

const cachedRules = new Map<string, CachedDoorRules>()

export const findCachedDoorRules = (eventId: string): CachedDoorRules | null => cachedRules.get(eventId) ?? null

export function cacheDoorRules(eventId: string, rules: DoorRules, sqlRules: string): void {
  const { version, config, formats } = rules
  if (version === null || cachedRules.get(eventId)?.version === version) return
  if (cachedRules.size >= MAX_CACHED_EVENTS) cachedRules.clear()
  cachedRules.set(eventId, { version, config: { onsite: { gates: config.onsite.gates } }, formats, sqlRules })
}

/** Cached badge formats by event, for the configuration version that this process read last. */
const cachedFormats = new Map<string, { version: string; formats: readonly BadgeFormat[] }>()
const MAX_CACHED_EVENTS = 1000

async function readBadgeFormats(ctx: DoorScanContext, version: string): Promise<readonly BadgeFormat[]> {
  const cached = cachedFormats.get(ctx.event.id)
  if (cached?.version === version) return cached.formats
  const settings = await readLeadSettings([ctx.tenantCode, ctx.client.code, ctx.event.code].join('/'), ctx)
  if (cachedFormats.size >= MAX_CACHED_EVENTS) cachedFormats.clear()
  cachedFormats.set(ctx.event.id, settings)
  return settings.formats
}

/** Number of days before the event on which doors accept scans, because exhibitors and staff arrive earlier to set up. */
const SETUP_DAYS = 14

/**
 * Returns the start of the first setup day in the event's time zone. A scan with an earlier time comes from a device with a wrong clock.
 */
export function getFirstSetupDay({ facts: { startsOn, timezone } }: Pick<DoorRules, 'facts'>): Date {
  const day = new Date(Date.parse(`${startsOn}T00:00:00Z`) - SETUP_DAYS * 86_400_000).toISOString().slice(0, 10)
  return wallTimeToInstant(timezone, `${day}T00:00`)
}

/** Converts door rules to the JSON that the SQL functions of the door read. */
export function toDoorRulesJson(rules: DoorRules): string {
  const { gates, ...onsite } = rules.config.onsite
  return JSON.stringify({
    ...onsite,
    notBefore: getFirstSetupDay(rules).toISOString(),
    gates: Object.fromEntries(
      gates.map(({ code, visibleForTags, products, opensAt, closesAt, capacity }) => [
        code,
        { products, opensAt, closesAt, capacity, ...(visibleForTags ? { visibleForTags } : {}) },
      ]),
    ),
    rooms: Object.fromEntries(rules.config.sessions.rooms.map(({ code, capacity }) => [code, capacity])),
  })
}

interface NamedPlace {
  scope?: ScanScope | undefined
  gateCode?: string | undefined
  sessionId?: string | undefined
}

/** Adds the scope (event, gate or session) to a scan location: a gate code implies a gate, a session id implies a conference session. */
export const toScanPlace = <T extends NamedPlace>(given: T): T & ScanPlace => ({
  ...given,
  scope: given.scope ?? (given.gateCode !== undefined ? 'gate' : given.sessionId !== undefined ? 'session' : 'event'),
})

/** Lists the errors of a scan location whose scope contradicts its gate or session, or whose gate is unknown. */
export function findScanPlaceErrors({ config }: Pick<CachedDoorRules, 'config'>, place: ScanPlace, path = ''): FieldError[] {
  const { scope, gateCode, sessionId } = place
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  if (gateCode !== undefined && sessionId !== undefined)
    return [{ path: at('sessionId'), message: 'give either a gate or a session, not both' }]
  const codes = config.onsite.gates.map(({ code }) => code)
  if (scope === 'gate' && gateCode === undefined) return [{ path: at('gateCode'), message: 'is required for scope gate', allowed: codes }]
  if (scope === 'session' && sessionId === undefined) return [{ path: at('sessionId'), message: 'is required for scope session' }]
  if (scope !== 'gate' && gateCode !== undefined) return [{ path: at('gateCode'), message: `is not accepted for scope ${scope}` }]
  if (scope !== 'session' && sessionId !== undefined) return [{ path: at('sessionId'), message: `is not accepted for scope ${scope}` }]
  return gateCode === undefined || codes.includes(gateCode) ? [] : [createUnknownNameFieldError(at('gateCode'), gateCode, codes, 'gate')]
}

/** Rejects the call if the scope of a scan location contradicts its gate or session, or if the gate or session does not exist. */
export async function requireValidScanPlaces(
  ctx: DoorScanContext,
  rules: DoorRules,
  places: readonly ScanPlace[],
  path?: string,
): Promise<void> {
  const errors = places.flatMap((place, index) => findScanPlaceErrors(rules, place, path === undefined ? '' : `${path}.${index}`))
  if (errors.length > 0) throw invalidArguments(errors)
  const known = await listExistingSessionIds(ctx, places)
  const unknown = places.find(({ sessionId }) => sessionId !== undefined && !known.has(sessionId))
  if (unknown) throw notFound(`No session ${unknown.sessionId} at this event. Use get_onsite_summary to list sessions`)
}

export async function listExistingSessionIds(
  { db, tenantId, event }: Pick<DoorScanContext, 'db' | 'tenantId' | 'event'>,
  places: readonly Pick<ScanPlace, 'sessionId'>[],
): Promise<Set<string>> {
  const ids = [...new Set(places.flatMap(({ sessionId }) => sessionId ?? []))]
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select s.id from sessions s where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.id = any(${ids})`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
