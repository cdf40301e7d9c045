import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { BadgeFormat } from './badge-payload.ts'

/** The parts of an event's configuration that badge scans need. */
export interface LeadSettings {
  /** Version of the configuration; callers compare it with the database. */
  version: string
  config: Pick<EventConfig, 'exhibitorConfig' | 'customFields'>
  /** Badge formats: the current one first, then those of earlier versions, newest first. */
  formats: readonly BadgeFormat[]
}

/** Caches lead settings by the codes of tenant, client and event. Entries may be outdated; callers check `version`. */
const cache = new Map<string, LeadSettings>()
const MAX_CACHED_EVENTS = 1000

export const findCachedLeadSettings = (place: string): LeadSettings | undefined => cache.get(place)

interface SettingsScope {
  tenantId: number
  db: Db
  event: { id: string; code: string }
}

/** Reads the settings from the published configuration, or from the draft before the first publication. */
export async function readLeadSettings(place: string, at: SettingsScope): Promise<LeadSettings> {
  const draft = await readDraftConfiguration(at)
  const used = (await readLiveConfiguration(at, draft)) ?? draft
  const { exhibitorConfig, customFields, badge } = used.config
  const settings = {
    version: used.versionId ?? used.sha256 ?? '',
    config: { exhibitorConfig, customFields },
    formats: [badge, ...(await listEarlierFormats(at, used))].map(({ provider, delimiter, segmentIndex }) => ({
      provider,
      delimiter,
      segmentIndex,
    })),
  }
  if (cache.size >= MAX_CACHED_EVENTS) cache.clear()
  cache.set(place, settings)
  return settings
}

/** Lists the badge formats of earlier configuration versions. Stored versions omit default values, so these are added here. */
async function listEarlierFormats({ db, tenantId, event }: SettingsScope, { version }: Configuration): Promise<BadgeFormat[]> {
  const { rows } = await sql<{ badge: Partial<BadgeFormat> | null }>`
    select badge from config_versions where tenant_id = ${tenantId} and event_id = ${event.id} and number < ${version ?? 0}
    group by badge order by max(number) desc`.execute(db)
  return rows.map(({ badge }) => ({ provider: 'own', delimiter: '|', segmentIndex: 0, ...badge }))
}
