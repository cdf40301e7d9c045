import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

const ANSWERS = {
  purpose: 'Yearly meeting of the community',
  eventType: 'conference',
  attendees: 200,
  preferredArrival: '2028-06-08',
  preferredDeparture: '2028-06-11',
  cities: ['Porto'],
  budget: { amount: '120000.00', currency: 'EUR' },
  needRooms: true,
  roomsByNight: [
    { night: '2028-06-08', single: 100 },
    { night: '2028-06-09', single: 100 },
    { night: '2028-06-10', single: 50 },
  ],
  needSpace: false,
}

async function startBrief(stage: DemoScenario): Promise<string> {
  const { briefId } = await stage.call('start_or_advance_brief', { ...SUMMIT_SCOPE, title: 'Summit 2028', answers: ANSWERS })
  return briefId as string
}

export const BRIEFS_EXAMPLES: Examples = {
  start_or_advance_brief: () => ({
    ...SUMMIT_SCOPE,
    title: 'Summit 2028',
    answers: { purpose: 'Yearly meeting of the community', eventType: 'conference', attendees: 200 },
  }),
  get_brief: async (stage) => ({ ...SUMMIT_SCOPE, briefId: await startBrief(stage) }),
  update_brief: async (stage) => ({ ...SUMMIT_SCOPE, briefId: await startBrief(stage), answers: { attendees: 240 } }),
  lock_brief: async (stage) => ({ ...SUMMIT_SCOPE, briefId: await startBrief(stage), reason: 'Agreed with the board' }),
}
