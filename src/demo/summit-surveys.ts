import type { AnswerValue } from '../domains/surveys/answers.ts'
import { type CreatedInvite, createSurveyInvites } from '../domains/surveys/invites.ts'
import { completeResponse, setInviteStatus, saveAnswers } from '../domains/surveys/respond.ts'
import { getSurvey, readSurveyConfig } from '../domains/surveys/survey-config.ts'
import type { DemoHistory } from './registering.ts'
import { runDemoEventChange, runDemoParticipantChange } from './stage.ts'

const SURVEY = 'registering'

/** Survey answers of the first registered people: ease, likelihood to recommend, source, comment. */
const ANSWERS: readonly (readonly [ease: number, recommend: number, source: string, comment: string | null])[] = [
  [5, 10, 'colleague', 'Nothing, the form was quick.'],
  [4, 9, 'newsletter', 'Show the hotel prices earlier.'],
  [5, 9, 'search', null],
  [3, 7, 'newsletter', 'The hotel list was long. Show a map of the hotels.'],
  [4, 8, 'colleague', null],
  [5, 10, 'colleague', 'A map of the hotel would help.'],
  [2, 5, 'search', 'I had to enter my tax number twice.'],
  [4, 9, 'newsletter', null],
]

/** Creates links to a survey for all registered people, of whom some answer. */
export async function seedSurveyAnswers({ stage, team, summit }: DemoHistory): Promise<void> {
  const deed = { colleague: team.beatriz, app: 'console' as const, tool: 'create_survey_links' }
  const invites = await runDemoEventChange(stage, summit.event, deed, (ctx) =>
    createSurveyInvites(ctx, { surveyCode: SURVEY, who: 'new', status: 'delivered' }),
  )
  for (const [n, answers] of ANSWERS.entries()) await answer({ stage, summit }, invites[n]!, answers)
}

function answer(
  { stage, summit }: Pick<DemoHistory, 'stage' | 'summit'>,
  { inviteId, participantId, name, email, link }: CreatedInvite,
  [ease, recommend, source, comment]: (typeof ANSWERS)[number],
): Promise<void> {
  return runDemoParticipantChange(stage, summit.event, { email: email ?? name, action: 'answer_survey' }, async (ctx) => {
    const survey = getSurvey((await readSurveyConfig(ctx)).config.surveys, SURVEY)
    const token = link.reveal().split('/s/')[1]!
    const invitation = { invite: { inviteId, participantId, sessionId: null, isTestData: false }, survey, token }
    const answers = new Map<string, AnswerValue | null>(Object.entries({ ease, recommend, source, comment }))
    const response = await saveAnswers(ctx, invitation, { answers, locale: 'en' })
    await completeResponse(ctx, invitation, response)
    await setInviteStatus(ctx, invitation, 'completed')
  })
}
