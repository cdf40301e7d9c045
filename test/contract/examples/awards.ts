import { RESPONSE_A, RESPONSE_B, createSourcingFixtures } from '../../support/sourcing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

let made = 0

/** A closed RFP with two responses. */
async function withResponses(stage: Stage) {
  const rows = createSourcingFixtures(stage.world, stage.home)
  const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
  const [a, b] = [await rows.supplier(`Alpha ${++made}`), await rows.supplier(`Beta ${made}`)]
  const responses = [
    await rows.response(await rows.recipient(rfpId, a), RESPONSE_A),
    await rows.response(await rows.recipient(rfpId, b), RESPONSE_B),
  ]
  return { rows, rfpId, responses }
}

async function proposed(stage: Stage): Promise<string> {
  const { rfpId, responses } = await withResponses(stage)
  const { award } = await stage.admin.call('propose_award', {
    ...event(stage),
    rfpId,
    lines: [{ responseId: responses[0] }],
    rationale: 'Nearest to the congress centre',
  })
  return award.id
}

async function executed(stage: Stage): Promise<string> {
  const { rows, rfpId, responses } = await withResponses(stage)
  return rows.award(rfpId, responses[0]!)
}

export const AWARDS_EXAMPLES: Examples = {
  get_sourcing_summary: [
    async (stage) => {
      await executed(stage)
      return event(stage)
    },
    async (stage) => {
      await executed(stage)
      return { ...event(stage), include: ['briefs', 'rfps', 'contracts', 'milestones'] }
    },
  ],
  get_sourcing_savings: [
    async (stage) => {
      await executed(stage)
      return event(stage)
    },
    async (stage) => {
      await executed(stage)
      return { ...event(stage), baseline: 'budget', scope: 'client', from: '2020-01-01', until: '2099-12-31' }
    },
  ],
  propose_award: [
    async (stage) => {
      const { rfpId, responses } = await withResponses(stage)
      return {
        ...event(stage),
        rfpId,
        lines: [
          { responseId: responses[0], share: [{ night: '2027-06-10', rooms: 60 }] },
          { responseId: responses[1], share: [{ night: '2027-06-10', rooms: 40 }] },
        ],
        rationale: 'Two hotels within walking distance',
      }
    },
    async (stage) => ({ ...event(stage), awardId: await proposed(stage), withdraw: true }),
  ],
  execute_award: [async (stage) => ({ ...event(stage), awardId: await proposed(stage), discloseWinner: true })],
  publish_award_to_block: [async (stage) => ({ ...event(stage), awardId: await executed(stage), cutoffOn: '2027-05-01' })],
}
