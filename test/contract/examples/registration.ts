import { newId } from '../../../src/kernel/ids.ts'
import { WORKED_EXAMPLE } from '../../support/sales-scenario.ts'
import type { Examples } from '../examples.ts'
import type { Arguments, Stage } from '../stage.ts'
import { storeSheetFile } from './imports.ts'

export const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

const opened = new WeakMap<Stage, Promise<void>>()

/** Publishes the worked example (a complete event configuration) at the stage's event once, and turns test mode off. */
export async function openSales(stage: Stage): Promise<void> {
  let opening = opened.get(stage)
  if (!opening) opened.set(stage, (opening = open(stage)))
  await opening
  // Turns test mode off again, because other examples turn it on.
  const { rows } = await stage.world.database.pool.query('select from events where id = $1 and test_mode', [stage.home.eventId])
  if (rows.length > 0) await stage.admin.call('update_event', { ...event(stage), testMode: false })
}

async function open(stage: Stage): Promise<void> {
  await stage.admin.call('configure_event', { ...event(stage), sections: WORKED_EXAMPLE })
  await stage.admin.call('publish_event', { ...event(stage), acceptWarnings: true })
}

let people = 0

/** Registration form answers of a new participant, with the stage's word in the name. */
export const newParticipantAnswers = (stage: Stage, more: Arguments = {}) => ({
  '@participant.firstName': stage.word,
  '@participant.lastName': stage.text(),
  '@participant.email': `p${++people}@${stage.word}.example`,
  '@participant.company': stage.text(),
  ...more,
})

export async function registerNewParticipant(stage: Stage, more: Arguments = {}): Promise<any> {
  await openSales(stage)
  const { data = {}, ...rest } = more
  return stage.admin.call('add_participant', {
    ...event(stage),
    flowSlug: 'attendee',
    data: newParticipantAnswers(stage, data as Arguments),
    ...rest,
  })
}

/** Registers three participants with every property that a search can match. */
async function threeRegistered(stage: Stage): Promise<any[]> {
  const people = []
  for (let n = 0; n < 3; n++)
    people.push((await registerNewParticipant(stage, { data: { '@product.dinner': 1 }, tags: ['vip'] })).participant)
  return people
}

export const REGISTRATION_EXAMPLES: Examples = {
  get_registration_summary: [
    async (stage) => {
      await threeRegistered(stage)
      return { ...event(stage), from: '2026-01-01', until: '2027-12-31', flowSlug: 'attendee', compareWith: stage.sibling.eventCode }
    },
    (stage) => ({ ...event(stage), includeTestData: true }),
  ],
  get_flow_summary: async (stage) => {
    await registerNewParticipant(stage)
    const { versions } = await stage.admin.call('list_versions', event(stage))
    return { ...event(stage), flowSlug: 'attendee', versionId: versions[0].versionId, device: 'organizer' }
  },
  describe_participant_flow: [
    async (stage) => ({ ...event(stage), participantId: (await registerNewParticipant(stage)).participant.id }),
    async (stage) => {
      await openSales(stage)
      return { ...event(stage), flowSlug: 'attendee', asTags: ['vip'], answers: newParticipantAnswers(stage), draft: true }
    },
  ],
  find_participants: [
    async (stage) => {
      await threeRegistered(stage)
      return {
        ...event(stage),
        search: stage.word,
        tagsAll: ['vip'],
        productCode: 'dinner',
        status: ['complete'],
        balance: 'due',
        includeTestData: true,
      }
    },
    async (stage) => {
      const [host] = await threeRegistered(stage)
      for (const hostId of [host.id, host.id, host.id]) {
        await stage.world.database.pool.query(
          `insert into participants (tenant_id, event_id, id, status, host_id, first_name, last_name) values ($1, $2, $3, 'incomplete', $4, $5, $6)`,
          [stage.home.tenantId, stage.home.eventId, newId(), hostId, stage.word, stage.text()],
        )
      }
      return { ...event(stage), hostId: host.id, isGuest: true, sort: 'createdAt', includeTestData: true }
    },
  ],
  get_participant: [
    async (stage) => ({ ...event(stage), participantId: (await registerNewParticipant(stage)).participant.id, includeTestData: true }),
    async (stage) => {
      const { participant } = await registerNewParticipant(stage, { data: { '@product.pass': 1 } })
      const include = ['orders', 'history', 'housing', 'sessions', 'emails', 'leads']
      return { ...event(stage), participantId: participant.confirmationNumber, include, includeTestData: true }
    },
  ],
  add_participant: [
    async (stage) => {
      await openSales(stage)
      return { ...event(stage), flowSlug: 'attendee', data: newParticipantAnswers(stage, { '@product.pass': 1 }), tags: ['member'] }
    },
    async (stage) => {
      const { participant } = await registerNewParticipant(stage)
      await stage.admin.call('configure_event', {
        ...event(stage),
        sections: { flows: [{ slug: 'attendee', guests: { enabled: true, max: 20 } }] },
      })
      await stage.admin.call('publish_event', { ...event(stage), acceptWarnings: true })
      return { ...event(stage), flowSlug: 'attendee', hostId: participant.id, data: newParticipantAnswers(stage), status: 'complete' }
    },
    async (stage) => {
      await openSales(stage)
      return { ...event(stage), flowSlug: 'attendee', data: newParticipantAnswers(stage), status: 'incomplete' }
    },
  ],
  edit_participant: [
    async (stage) => {
      const { participant } = await registerNewParticipant(stage, { data: { '@product.pass': 1, '@product.dinner': 2 } })
      return {
        ...event(stage),
        participantId: participant.id,
        data: { '@participant.company': stage.text(), '@product.dinner': 1 },
        addTags: ['vip'],
      }
    },
    async (stage) => {
      const { participant } = await registerNewParticipant(stage, { data: { '@product.pass': 1 } })
      return { ...event(stage), participantId: participant.confirmationNumber, status: 'cancelled', credit: 'full', reason: stage.text() }
    },
  ],
  resend_participant_confirmation: [
    async (stage) => ({
      ...event(stage),
      participantId: (await registerNewParticipant(stage, { data: { '@product.pass': 1 } })).participant.id,
    }),
    async (stage) => {
      const { participant } = await registerNewParticipant(stage)
      return { ...event(stage), participantId: participant.confirmationNumber }
    },
  ],
  create_test_registrations: [
    async (stage) => {
      await openSales(stage)
      return { ...event(stage), count: 2, flowSlug: 'attendee', withPayments: false, withGuests: false }
    },
    async (stage) => {
      await openSales(stage)
      return { ...event(stage), count: 51, seed: 3 }
    },
    async (stage) => {
      await openSales(stage)
      const { runId } = await stage.admin.call('create_test_registrations', { ...event(stage), count: 1 })
      return { ...event(stage), runId }
    },
    async (stage) => {
      await openSales(stage)
      await stage.admin.call('create_test_registrations', { ...event(stage), count: 1 })
      return { ...event(stage), clear: true }
    },
  ],
  configure_registration_guests: async (stage) => {
    await openSales(stage)
    const productCode = `guest-${++people}`
    const product = { code: productCode, name: stage.text(), category: 'guest', prices: [{ amount: '10.00' }] }
    await stage.admin.call('configure_event', { ...event(stage), sections: { products: [product] } })
    return { ...event(stage), flowSlug: 'attendee', max: 20, types: [{ code: productCode, name: stage.text(), productCode }] }
  },
  add_invite_list_participants: [
    async (stage) => {
      await openSales(stage)
      const rows = [{ email: `i${++people}@${stage.word}.example`, firstName: stage.text(), tags: ['vip'] }]
      return { ...event(stage), flowSlug: 'attendee', rows, tags: ['member'] }
    },
    async (stage) => {
      await openSales(stage)
      const fileId = await storeSheetFile(stage, `email,company\nf${++people}@${stage.word}.example,ACME\n`)
      return { ...event(stage), flowSlug: 'attendee', fileId }
    },
  ],
  substitute_participant: [
    async (stage) => {
      const { participant } = await registerNewParticipant(stage, { data: { '@product.pass': 1 } })
      return { ...event(stage), participantId: participant.id, replacement: newParticipantAnswers(stage), reason: stage.text() }
    },
    async (stage) => {
      const { participant } = await registerNewParticipant(stage, { data: { '@product.pass': 1 } })
      const { participant: other } = await registerNewParticipant(stage, { status: 'incomplete' })
      return { ...event(stage), participantId: participant.id, replacementParticipantId: other.id, sendEmail: false }
    },
  ],
}
