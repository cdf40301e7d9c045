import { afterAll, beforeAll } from 'vitest'
import type { BriefAnswers } from '../../briefs/answers.ts'
import type { SupplierQuestionnaireItem, AttachedRubric, RubricCriterion } from '../../rfps/tables.ts'
import type { LanguageModel } from '../../../kernel/ports.ts'
import { EXAMPLE_NEED, RESPONSE_A, RESPONSE_B, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'
import type { RfpResponseContent } from '../tables.ts'

/** The rubric of the worked example in the specification: cost by formula, location and space scored by people. */
export const EXAMPLE_CRITERIA: RubricCriterion[] = [
  { code: 'cost', name: 'Cost', weight: 40, scorer: 'formula', formula: 'lowestCost' },
  { code: 'location', name: 'Location', weight: 30, scorer: 'manual' },
  { code: 'space', name: 'Space', weight: 30, scorer: 'manual' },
]

interface NewRfp {
  need?: BriefAnswers
  dueInDays?: number
  sealed?: boolean
  rubric?: AttachedRubric
  questions?: SupplierQuestionnaireItem[]
}

/** Sets up an event with an organizer, and helpers for tests about responses to RFPs. */
export function setUpBidsScenario(model: () => LanguageModel | null = () => null) {
  const story = {} as { world: World; event: EventHandle; organizer: OrganizerHandle; rows: ReturnType<typeof createSourcingFixtures> }
  beforeAll(async () => {
    story.world = await newWorld({ model: model() })
    story.event = await story.world.event({ timezone: 'UTC' })
    story.organizer = await story.world.organizer({ at: story.event })
    story.rows = createSourcingFixtures(story.world, story.event)
  })
  afterAll(() => story.world.end())

  const scope = () => ({ clientCode: story.event.clientCode, eventCode: story.event.eventCode })
  let made = 0
  const newRfp = async ({ need = EXAMPLE_NEED, ...more }: NewRfp = {}) =>
    story.rows.rfp(await story.rows.brief(need), { dueInDays: -1, ...more })
  /** Submits a response of a new supplier. */
  const respond = async (rfpId: string, content: RfpResponseContent, { name = `Hotel ${++made}`, supplier = {}, ...more }: any = {}) => {
    const supplierId = await story.rows.supplier(`${name} ${++made}`, { name, ...supplier })
    const recipientId = await story.rows.recipient(rfpId, supplierId)
    const responseId = await story.rows.response(recipientId, content, more)
    return { supplierId, recipientId, responseId }
  }
  return {
    story,
    newRfp,
    respond,
    /** Creates an RFP after its due time, with the responses A and B of the worked example. */
    example: async (more: NewRfp = {}) => {
      const rfpId = await newRfp(more)
      const a = await respond(rfpId, RESPONSE_A, { name: 'Hotel Innbrücke' })
      const b = await respond(rfpId, RESPONSE_B, { name: 'Nordkette Congress Hotel' })
      return { rfpId, a: a.responseId, b: b.responseId, recipients: { a: a.recipientId, b: b.recipientId } }
    },
    call: (tool: string, args: object, by: OrganizerHandle = story.organizer) => by.call(tool, { ...scope(), ...args }),
    answer: (tool: string, args: object, by: OrganizerHandle = story.organizer) => by.answer(tool, { ...scope(), ...args }),
    refused: (tool: string, args: object, by: OrganizerHandle = story.organizer) => by.refused(tool, { ...scope(), ...args }),
    query: (text: string, values: unknown[] = []) => story.world.database.pool.query<any>(text, values),
  }
}
