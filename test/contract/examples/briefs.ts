import { EXAMPLE_NEED } from '../../support/sourcing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

/** Starts a complete brief at the stage's event and returns its id. */
export async function startBrief(stage: Stage): Promise<string> {
  const { briefId } = await stage.admin.call('start_or_advance_brief', { ...event(stage), title: stage.text(), answers: EXAMPLE_NEED })
  return briefId as string
}

export const BRIEFS_EXAMPLES: Examples = {
  start_or_advance_brief: [
    async (stage) => ({
      ...event(stage),
      briefId: await startBrief(stage),
      title: stage.text(),
      fromEvent: true,
      answers: { attendees: 220, radiusKm: 5 },
      skip: ['alternates'],
    }),
    (stage) => ({ ...event(stage), title: stage.text(), answers: { purpose: stage.text() } }),
  ],
  get_brief: [
    async (stage) => {
      for (let n = 0; n < 3; n++) await startBrief(stage)
      return event(stage)
    },
    async (stage) => {
      const briefId = await startBrief(stage)
      await stage.admin.call('lock_brief', { ...event(stage), briefId })
      return { ...event(stage), briefId, version: 1 }
    },
  ],
  update_brief: [
    async (stage) => ({
      ...event(stage),
      briefId: await startBrief(stage),
      answers: { attendees: 250, radiusKm: null },
      title: stage.text(),
    }),
  ],
  lock_brief: [
    async (stage) => ({ ...event(stage), briefId: await startBrief(stage), reason: 'Agreed with the board' }),
    async (stage) => {
      const briefId = await startBrief(stage)
      await stage.admin.call('lock_brief', { ...event(stage), briefId })
      return { ...event(stage), briefId, unlock: true, reason: 'More guests' }
    },
  ],
}
