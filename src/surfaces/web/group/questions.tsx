import { type GetFormValues, readSubmittedAnswer } from '../../../domains/checkout/sent-page.ts'
import type { Answers } from '../../../domains/registration/answers.ts'
import type { ParticipantAnswerError } from '../../../domains/registration/own/own-answers.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import type { EventSite } from '../event/event-site.ts'
import { QuestionField, type QuestionFieldContext } from '../register/fields.tsx'
import { translateFieldError, getFieldLabel } from '../register/messages.ts'

export interface MemberFormQuestion {
  binding: string
  required: boolean
}

const HALF_WIDTH_BINDINGS = new Set(
  ['firstName', 'lastName', 'city', 'postalCode', 'region', 'country'].map((name) => `@participant.${name}`),
)

/** Builds a form about another person. It has the same fields as the person's own registration form, but no browser autofill. */
export function buildMemberQuestionContext(
  site: EventSite,
  { sent, answers = {}, errors = [] }: { sent?: GetFormValues; answers?: Answers; errors?: readonly FieldError[] },
): QuestionFieldContext {
  const savedValues = (name: string): readonly string[] => {
    const value = answers[name]
    return value === null || value === undefined ? [] : [value].flat().map(String)
  }
  return { site, config: site.config, errors, valueOf: sent ?? savedValues, readOnlyReasons: new Map(), files: new Map() }
}

export const MemberFormQuestions = ({ view, questions }: { view: QuestionFieldContext; questions: readonly MemberFormQuestion[] }) => (
  <>
    {questions.map(({ binding, required }) => (
      <div class={HALF_WIDTH_BINDINGS.has(binding) ? 'half' : undefined}>
        <QuestionField view={view} question={{ binding, required, aboutOthers: true }} />
      </div>
    ))}
  </>
)

export const readMemberFormAnswers = (site: EventSite, bindings: readonly string[], sent: GetFormValues): Record<string, unknown> =>
  Object.fromEntries(
    bindings.flatMap((binding) => {
      const answer = readSubmittedAnswer(site.config, binding, sent)
      return answer === undefined ? [] : [[binding, answer]]
    }),
  )

/** Turns answer errors into messages in the language of the page. */
export const toMemberFieldErrors = ({ words, config }: EventSite, faults: readonly ParticipantAnswerError[]): FieldError[] =>
  faults.map(({ binding, code, message, reason }) => ({
    path: binding,
    message:
      code === 'required'
        ? words.say('error.required', { label: getFieldLabel(words, config, binding) })
        : translateFieldError({ words, config, missing: [] }, { path: binding, message, ...(reason ? { reason } : {}) }),
  }))
