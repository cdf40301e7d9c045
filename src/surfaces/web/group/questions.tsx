import { type Sent, sentAnswer } from '../../../domains/checkout/sent-page.ts'
import type { Answers } from '../../../domains/registration/answers.ts'
import type { AnswerFault } from '../../../domains/registration/own-answers.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import type { Place } from '../event/place.ts'
import { Asked, type Asking } from '../register/fields.tsx'
import { faultInWords, labelFor } from '../register/words.ts'

export interface Question {
  binding: string
  required: boolean
}

const HALVES = new Set(['firstName', 'lastName', 'city', 'postalCode', 'region', 'country'].map((name) => `@participant.${name}`))

/** What is asked about somebody else: the controls are those of their own pages, and the browser fills in nothing of whoever types. */
export function askingAbout(
  place: Place,
  { sent, answers = {}, errors = [] }: { sent?: Sent; answers?: Answers; errors?: readonly FieldError[] },
): Asking {
  const kept = (name: string): readonly string[] => {
    const value = answers[name]
    return value === null || value === undefined ? [] : [value].flat().map(String)
  }
  return { place, config: place.config, errors, valueOf: sent ?? kept, given: new Map(), files: new Map() }
}

export const Questions = ({ view, questions }: { view: Asking; questions: readonly Question[] }) => (
  <>
    {questions.map(({ binding, required }) => (
      <div class={HALVES.has(binding) ? 'half' : undefined}>
        <Asked view={view} question={{ binding, required, aboutOthers: true }} />
      </div>
    ))}
  </>
)

export const answersIn = (place: Place, bindings: readonly string[], sent: Sent): Record<string, unknown> =>
  Object.fromEntries(
    bindings.flatMap((binding) => {
      const answer = sentAnswer(place.config, binding, sent)
      return answer === undefined ? [] : [[binding, answer]]
    }),
  )

/** What is wrong with answers about somebody, in the words of the page. */
export const faultsInWords = ({ words, config }: Place, faults: readonly AnswerFault[]): FieldError[] =>
  faults.map(({ binding, code, message }) => ({
    path: binding,
    message:
      code === 'required'
        ? words.say('wrong.required', { label: labelFor(words, config, binding) })
        : faultInWords({ words, config, missing: [] }, { path: binding, message }),
  }))
