import { editConfigDraft } from '../domains/authoring/edit.ts'
import { publishEvent } from '../domains/authoring/publish.ts'
import { buildTemplate } from '../domains/authoring/templates/templates.ts'
import type { ConfigDocument } from '../domains/configuration/schema/event-config.ts'
import { createEventWithoutContext } from '../domains/tenancy/create.ts'
import { changeEventStatus } from '../domains/tenancy/lock-event.ts'
import type { EventSummaryRow } from '../kernel/context.ts'
import { addPortugueseTranslations } from './portuguese.ts'
import { type DemoTeamMember, runDemoEventChange, type DemoSeedContext } from './stage.ts'
import { DEMO_SUMMIT_CONFIG } from './summit.ts'

interface DemoEvent {
  code: string
  startsOn: string
  endsOn: string
  timezone: string
  locales: string[]
  status: EventSummaryRow['status']
  document: ConfigDocument
}

const smallEvent = (details: ConfigDocument['details']): ConfigDocument => ({
  details: { contactEmail: 'events@demo.example', ...details },
  ...buildTemplate('conference', { free: '0.00', locale: 'en' }),
})

export const SUMMIT_TIME_ZONE = 'Europe/Lisbon'
const SUMMIT_CODE = 'summit-2027'

const EVENTS: readonly DemoEvent[] = [
  {
    code: SUMMIT_CODE,
    startsOn: '2027-05-11',
    endsOn: '2027-05-13',
    timezone: SUMMIT_TIME_ZONE,
    locales: ['en', 'pt'],
    status: 'published',
    document: addPortugueseTranslations(DEMO_SUMMIT_CONFIG),
  },
  {
    code: 'partner-day-2027',
    startsOn: '2027-09-21',
    endsOn: '2027-09-21',
    timezone: 'Europe/Berlin',
    locales: ['en'],
    status: 'draft',
    document: smallEvent({
      name: 'Partner Day 2027',
      startsOn: '2027-09-21',
      endsOn: '2027-09-21',
      venue: { city: 'Hamburg', country: 'DE' },
    }),
  },
  {
    code: 'roadshow-madrid',
    startsOn: '2027-02-18',
    endsOn: '2027-02-18',
    timezone: 'Europe/Madrid',
    locales: ['en'],
    status: 'published',
    document: smallEvent({
      name: 'Roadshow Madrid',
      startsOn: '2027-02-18',
      endsOn: '2027-02-18',
      venue: { city: 'Madrid', country: 'ES' },
    }),
  },
  {
    code: 'summit-2026',
    startsOn: '2026-05-12',
    endsOn: '2026-05-14',
    timezone: SUMMIT_TIME_ZONE,
    locales: ['en'],
    status: 'archived',
    document: smallEvent({
      name: 'Acme Summit 2026',
      startsOn: '2026-05-12',
      endsOn: '2026-05-14',
      venue: { city: 'Porto', country: 'PT' },
    }),
  },
]

/** Creates all events with the same functions that tools call: each draft is edited and published. */
export async function seedEvents(stage: DemoSeedContext, by: DemoTeamMember): Promise<{ summit: EventSummaryRow; codes: string[] }> {
  const made: EventSummaryRow[] = []
  for (const event of EVENTS) made.push(await seedEvent(stage, by, event))
  return { summit: made.find(({ code }) => code === SUMMIT_CODE)!, codes: made.map(({ code }) => code) }
}

async function seedEvent(
  stage: DemoSeedContext,
  colleague: DemoTeamMember,
  { code, startsOn, endsOn, timezone, locales, status, document }: DemoEvent,
): Promise<EventSummaryRow> {
  const name = document.details.name
  const id = await createEventWithoutContext(stage.db, {
    tenant_id: stage.tenantId,
    client_id: stage.clientId,
    code,
    name,
    starts_on: startsOn,
    ends_on: endsOn,
    timezone,
    currency: 'EUR',
    locales,
    test_mode: status === 'draft',
    // The demo's main event, the summit, accepts sandbox cards, so that card payments can be tried without a payment provider.
    sandbox_cards: code === SUMMIT_CODE,
  })
  const event: EventSummaryRow = { id, code, name, status: 'draft', timezone, currency: 'EUR', testMode: status === 'draft' }
  const tool = 'configure_event'
  await runDemoEventChange(stage, event, { colleague, app: 'Claude', tool }, (ctx) =>
    editConfigDraft(ctx, { tool, operations: [] }, () => document),
  )
  if (status === 'draft') return event
  await runDemoEventChange(stage, event, { colleague, app: 'console', tool: 'publish_event' }, (ctx) =>
    publishEvent(ctx, { acceptWarnings: true }),
  )
  if (status === 'archived') await changeEventStatus({ ...stage, event: { id } }, status)
  return { ...event, status }
}
