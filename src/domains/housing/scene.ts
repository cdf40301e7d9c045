import type { Context, EventHead } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { dayIn } from '../../kernel/time.ts'
import { readDraft, readLive } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type {} from '../tenancy/tables.ts'
import type {} from './tables.ts'

/** Whoever books, changes or looks at rooms: a person, their assistant, an organizer, a job. */
export interface AtEvent extends Context {
  client: { id: string; code: string; name: string }
  event: EventHead
}

export type Where = Pick<AtEvent, 'db' | 'tenantId'> & { event: Pick<EventHead, 'id'> }

/** What rooms are decided by, as it was at one moment. */
export interface HousingScene {
  config: Pick<EventConfig, 'housing' | 'details' | 'taxes'>
  at: Date
  timezone: string
  currency: string
  startsOn: string
  paymentTermsDays: number
  /** Rows of test data take no room. */
  isTest: boolean
}

export const todayOf = ({ timezone, at }: Pick<HousingScene, 'timezone' | 'at'>): string => dayIn(timezone, at)

/** What people who look at hotels see of an event: its draft while it is tried out, else what is live. */
export async function lookAround(
  ctx: AtEvent,
): Promise<Pick<HousingScene, 'config' | 'at' | 'timezone' | 'currency' | 'startsOn'> & { endsOn: string }> {
  const draft = await readDraft(ctx)
  const used = draft.facts.testMode ? draft : await readLive(ctx, draft)
  if (!used) throw preconditionFailed(`${ctx.event.code} is not published yet`)
  const { timezone, currency, startsOn, endsOn, now } = used.facts
  if (!used.config.housing.enabled) throw preconditionFailed('This event offers no hotel rooms')
  return { config: used.config, at: now, timezone, currency, startsOn, endsOn }
}
