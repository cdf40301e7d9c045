import { WORKED_EXAMPLE } from '../../support/sales-scenario.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event, newParticipantAnswers, openSales } from './registration.ts'

const opened = new WeakMap<Stage, Promise<string>>()

/** Creates a registration flow without free seats, whose waiting list accepts complete registrations. */
function fullFlow(stage: Stage): Promise<string> {
  let opening = opened.get(stage)
  if (!opening) opened.set(stage, (opening = openFlow(stage)))
  return opening
}

async function openFlow(stage: Stage): Promise<string> {
  await openSales(stage)
  const [flow] = WORKED_EXAMPLE.flows
  const waited = { ...flow!, slug: 'waited', name: stage.text(), capacity: 1, waitlist: true }
  await stage.admin.call('configure_event', { ...event(stage), sections: { flows: [waited] } })
  await stage.admin.call('publish_event', { ...event(stage), acceptWarnings: true })
  await stage.admin.call('add_participant', { ...event(stage), flowSlug: waited.slug, data: newParticipantAnswers(stage) })
  return waited.slug
}

/** Puts a new participant on the waiting list. */
async function addWaitlistEntry(stage: Stage, products: object = {}): Promise<string> {
  await openSales(stage)
  const flowSlug = await fullFlow(stage)
  const data = newParticipantAnswers(stage, { ...products })
  const { participant } = await stage.admin.call('add_participant', { ...event(stage), flowSlug, data, joinWaitlist: true })
  const { rows } = await stage.world.database.pool.query<{ id: string }>(`select id from waitlist_entries where participant_id = $1`, [
    participant.id,
  ])
  return rows[0]!.id
}

async function offered(stage: Stage): Promise<string> {
  const entryId = await addWaitlistEntry(stage, { '@product.pass': 1 })
  await stage.admin.call('promote_waitlist_entries', { ...event(stage), entryIds: [entryId], overrideCapacity: true })
  return entryId
}

export const WAITLIST_EXAMPLES: Examples = {
  promote_waitlist_entries: [
    async (stage) => ({ ...event(stage), action: 'promote', entryIds: [await addWaitlistEntry(stage)], overrideCapacity: true }),
    async (stage) => {
      await addWaitlistEntry(stage, { '@product.pass': 1 })
      return { ...event(stage), target: 'flow:waited', count: 1, priorityTags: ['vip'], offerHours: 24, overrideCapacity: true }
    },
    async (stage) => ({ ...event(stage), action: 'accept', entryIds: [await offered(stage)] }),
    async (stage) => ({ ...event(stage), action: 'withdraw', entryIds: [await offered(stage)] }),
    async (stage) => ({ ...event(stage), action: 'remove', entryIds: [await addWaitlistEntry(stage)] }),
  ],
}
