import type { EventContext } from '../../kernel/context.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'
import { type Configuration, type ConfigReadContext, readConfigForRegistration, readDraftConfiguration } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'

export type Survey = EventConfig['surveys'][number]
export type Question = Survey['questions'][number]

/** Reads the published surveys; before the first publication, those of the draft configuration. */
export const readSurveyConfig = async (ctx: ConfigReadContext): Promise<Configuration> =>
  (await readConfigForRegistration(ctx)) ?? readDraftConfiguration(ctx)

export function getSurvey(surveys: readonly Survey[], code: string, argument = 'surveyCode'): Survey {
  const survey = surveys.find((one) => one.code === code)
  if (survey) return survey
  throw createUnknownNameError(
    argument,
    code,
    surveys.map((one) => one.code),
    'survey',
  )
}

/** Returns the questions with these codes in the order of the survey; all questions if no codes are given. */
export function getQuestionsByCode({ questions }: Survey, codes: readonly string[] | undefined): readonly Question[] {
  if (codes === undefined) return questions
  const known = questions.map(({ code }) => code)
  const unknown = codes.find((code) => !known.includes(code))
  if (unknown !== undefined) throw createUnknownNameError('questionCodes', unknown, known, 'question')
  return questions.filter(({ code }) => codes.includes(code))
}

/** Whether answers to the question are personal data, which text answers always are. */
export const isPersonalQuestion = ({ type, personal }: Pick<Question, 'type' | 'personal'>): boolean => type === 'text' || personal

/** Whether the caller may read single answers to the question. */
export const mayReadAnswers = ({ permissions }: Pick<EventContext, 'permissions'>, question: Question): boolean =>
  !isPersonalQuestion(question) || permissions.has('personal.read')

export type SurveyAvailability = 'notYet' | 'open' | 'closed'

/** Returns whether the survey accepts answers at this time. Surveys of archived events accept none. */
export function getSurveyAvailability(
  survey: Pick<Survey, 'opensAt' | 'closesAt'>,
  { now, status }: Pick<Configuration['facts'], 'now' | 'status'>,
): SurveyAvailability {
  if (status === 'archived' || (survey.closesAt !== null && now >= new Date(survey.closesAt))) return 'closed'
  return survey.opensAt !== null && now < new Date(survey.opensAt) ? 'notYet' : 'open'
}
