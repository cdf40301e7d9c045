import type { AnswerValue } from '../../src/domains/surveys/answers.ts'
import { type CreatedInvite, createSurveyInvites, findSurveyInvite } from '../../src/domains/surveys/invites.ts'
import { completeResponse, unlinkAnonymousResponse, setInviteStatus, saveAnswers } from '../../src/domains/surveys/respond.ts'
import { getSurvey, readSurveyConfig } from '../../src/domains/surveys/survey-config.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import { createExhibitorFixtures } from './companies.ts'
import { inEventTransaction } from './hotels.ts'
import type { EventHandle, World } from './world.ts'

export type SurveyAnswers = Readonly<Record<string, AnswerValue>>

interface AnswerOptions {
  /** Whether the response stays partial. */
  partial?: boolean
  locale?: string
}

/** Surveys of an event, answered by the functions that the pages use. */
export interface Surveys {
  publish: (surveys: readonly object[], more?: Partial<ConfigDocument>) => Promise<void>
  /** Creates links for the audience; returns their tokens by participant. */
  invite: (surveyCode: string, who?: 'new' | 'again') => Promise<Map<string, string>>
  list: (surveyCode: string) => Promise<CreatedInvite[]>
  answer: (token: string, answers: SurveyAnswers, options?: AnswerOptions) => Promise<void>
  rows: <T extends object>(query: string, ...values: unknown[]) => Promise<T[]>
}

export const readSurveyToken = ({ link }: Pick<CreatedInvite, 'link'>): string => link.reveal().split('/s/')[1]!

export function createSurveyFixtures(world: World, place: EventHandle): Surveys {
  const list = (surveyCode: string, who: 'new' | 'again' = 'new') =>
    inEventTransaction(world, place, (ctx) => createSurveyInvites(ctx, { surveyCode, who, status: 'delivered' }))
  return {
    publish: (surveys, more = {}) => createExhibitorFixtures(world, place).publish({ ...more, surveys } as unknown as ConfigDocument),
    list,
    invite: async (surveyCode, who) => new Map((await list(surveyCode, who)).map((one) => [one.participantId, readSurveyToken(one)])),
    async answer(token, answers, { partial = false, locale = 'en' } = {}) {
      const invite = (await findSurveyInvite(world.database.pool, token))!
      const { config } = await inEventTransaction(world, place, readSurveyConfig)
      const survey = getSurvey(config.surveys, invite.surveyCode)
      const invitation = { invite, survey, token }
      const given = new Map(survey.questions.map(({ code }) => [code, answers[code] ?? null]))
      await inEventTransaction(world, place, async (ctx) => {
        const response = await saveAnswers(ctx, invitation, { answers: given, locale })
        if (!partial) await completeResponse(ctx, invitation, response)
      })
      await inEventTransaction(world, place, (ctx) => setInviteStatus(ctx, invitation, partial ? 'started' : 'completed'))
      if (!partial) await inEventTransaction(world, place, (ctx) => unlinkAnonymousResponse(ctx, invitation))
    },
    rows: async <T extends object>(query: string, ...values: unknown[]) => (await world.database.pool.query<T>(query, values)).rows,
  }
}
