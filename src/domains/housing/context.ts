import type { Context, EventSummaryRow } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'

/** The context of a housing operation: client, event, and any kind of actor (user, participant or background job). */
export interface HousingContext extends Context {
  client: { id: string; code: string; name: string }
  event: EventSummaryRow
}

export type HousingQueryContext = Pick<HousingContext, 'db' | 'tenantId'> & { event: Pick<EventSummaryRow, 'id'> }

/** The configuration and time that room decisions are based on, read at one moment. */
export interface HousingSnapshot {
  config: Pick<EventConfig, 'housing' | 'details' | 'taxes'>
  at: Date
  timezone: string
  currency: string
  startsOn: string
  paymentTermsDays: number
  /** Whether the participant is test data, whose reservations take no real rooms. */
  isTest: boolean
}

export const getTodayAtEvent = ({ timezone, at }: Pick<HousingSnapshot, 'timezone' | 'at'>): string => toDayInZone(timezone, at)

/** Reads the current day in the time zone of the event. */
export const readTodayAtEvent = async (ctx: Pick<HousingContext, 'db'> & { event: Pick<EventSummaryRow, 'timezone'> }): Promise<string> =>
  toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))

/** Reads the housing settings as participants see them: the draft in test mode, otherwise the live configuration. */
export async function readHousingSnapshot(
  ctx: HousingContext,
): Promise<Pick<HousingSnapshot, 'config' | 'at' | 'timezone' | 'currency' | 'startsOn'> & { endsOn: string }> {
  const draft = await readDraftConfiguration(ctx)
  const used = draft.facts.testMode ? draft : await readLiveConfiguration(ctx, draft)
  if (!used) throw preconditionFailed(`${ctx.event.code} is not published yet`)
  const { timezone, currency, startsOn, endsOn, now } = used.facts
  if (!used.config.housing.enabled) throw preconditionFailed('This event does not offer hotel rooms')
  return { config: used.config, at: now, timezone, currency, startsOn, endsOn }
}
