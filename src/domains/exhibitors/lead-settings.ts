import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { type Configuration, readDraft, readLive } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { BadgeFormat } from './badge-payload.ts'

/** What of a configuration decides about scans. */
export interface LeadSettings {
  /** Of what it was read from; whoever uses it asks the database whether that is still so. */
  version: string
  config: Pick<EventConfig, 'exhibitorConfig' | 'customFields'>
  /** The format of today first, then those of earlier versions, newest first. */
  formats: readonly BadgeFormat[]
}

/** By the codes of the event. What is kept may be out of date, and is then replaced. */
const kept = new Map<string, LeadSettings>()
const MAX_KEPT = 1000

export const recallSettings = (place: string): LeadSettings | undefined => kept.get(place)

interface AtEvent {
  tenantId: number
  db: Db
  event: { id: string; code: string }
}

/** Real badges are read by what is live, or before the first publish by the draft. */
export async function readSettings(place: string, at: AtEvent): Promise<LeadSettings> {
  const draft = await readDraft(at)
  const used = (await readLive(at, draft)) ?? draft
  const { exhibitorConfig, customFields, badge } = used.config
  const settings = {
    version: used.versionId ?? used.sha256 ?? '',
    config: { exhibitorConfig, customFields },
    formats: [badge, ...(await earlierFormats(at, used))].map(({ provider, delimiter, segmentIndex }) => ({
      provider,
      delimiter,
      segmentIndex,
    })),
  }
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(place, settings)
  return settings
}

/** Stored without what the schema fills in by itself. */
async function earlierFormats({ db, tenantId, event }: AtEvent, { version }: Configuration): Promise<BadgeFormat[]> {
  const { rows } = await sql<{ badge: Partial<BadgeFormat> | null }>`
    select badge from config_versions where tenant_id = ${tenantId} and event_id = ${event.id} and number < ${version ?? 0}
    group by badge order by max(number) desc`.execute(db)
  return rows.map(({ badge }) => ({ provider: 'own', delimiter: '|', segmentIndex: 0, ...badge }))
}
