import type { World } from '../../support/world.ts'
import { programSections, createSessionAt } from '../../support/programs.ts'
import { createRegistrationFixtures } from '../../support/registrations.ts'
import { createSurveyFixtures, readSurveyToken } from '../../support/surveys.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

interface SurveyedEvent {
  eventCode: string
  sessionId: string
}

const surveyed = new WeakMap<World, Map<string, Promise<SurveyedEvent>>>()
let made = 0

const QUESTIONS = [
  { code: 'recommend', name: 'Would you recommend us?', type: 'nps' },
  { code: 'best', name: 'What was best?', type: 'text' },
]

/** An event with an anonymous survey about a session and six responses. Roles without personal.read see no others. */
async function createSurveyedEvent({ world, home, word }: Stage): Promise<SurveyedEvent> {
  const place = await world.event({ at: home, code: `survey-${home.eventCode}-${++made}`, startsOn: '2026-09-01', endsOn: '2026-09-03' })
  const surveys = createSurveyFixtures(world, place)
  await surveys.publish(
    [{ code: 'after', name: 'After', anonymous: true, perSession: true, questions: QUESTIONS }],
    programSections() as never,
  )
  const sessionId = await createSessionAt(world, place)
  const desk = createRegistrationFixtures(world, place)
  for (let n = 0; n < 6; n++) {
    const participantId = await desk.person({ last_name: `${word} ${n}` })
    await world.database.pool.query(
      `insert into session_enrolments (tenant_id, event_id, session_id, participant_id, is_test_data, status) values ($1, $2, $3, $4, false, 'enrolled')`,
      [place.tenantId, place.eventId, sessionId, participantId],
    )
  }
  for (const [n, invite] of (await surveys.list('after')).entries())
    await surveys.answer(readSurveyToken(invite), { recommend: 5 + n, best: `Coffee ${word}` })
  return { eventCode: place.eventCode, sessionId }
}

function surveyedEvent(stage: Stage): Promise<SurveyedEvent> {
  const events = surveyed.get(stage.world) ?? new Map<string, Promise<SurveyedEvent>>()
  surveyed.set(stage.world, events)
  const known = events.get(stage.home.eventId) ?? createSurveyedEvent(stage)
  events.set(stage.home.eventId, known)
  return known
}

export const SURVEYS_EXAMPLES: Examples = {
  get_survey_aggregate_data: [
    async (stage) => ({ eventCode: (await surveyedEvent(stage)).eventCode, surveyCode: 'after', segmentBy: 'session' }),
    async (stage) => ({ ...(await surveyedEvent(stage)), surveyCode: 'after' }),
  ],
  get_survey_responses_data: [
    async (stage) => ({ eventCode: (await surveyedEvent(stage)).eventCode, surveyCode: 'after' }),
    async (stage) => ({ ...(await surveyedEvent(stage)), surveyCode: 'after' }),
  ],
}
