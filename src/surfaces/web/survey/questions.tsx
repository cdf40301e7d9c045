import type { Child } from 'hono/jsx'
import { MAX_TEXT_LENGTH } from '../../../domains/surveys/answers.ts'
import type { Question } from '../../../domains/surveys/survey-config.ts'
import {
  buildAriaDescribedBy,
  Checkbox,
  type FieldErrors,
  FieldHelpAndError,
  type FieldProps,
  findFieldError,
  LabelText,
  TextArea,
} from '../components/forms.tsx'
import type { EventSite } from '../event/event-site.ts'
import { getQuestionFieldName } from './survey-site.tsx'

interface QuestionProps {
  site: EventSite
  question: Question
  /** The submitted or saved values of the question. */
  values: readonly string[]
  errors: FieldErrors
}

function helpFor({ words: { say } }: EventSite, { type, scaleMax }: Question): string | undefined {
  if (type === 'rating') return say('survey.ratingHelp', { max: scaleMax })
  if (type === 'nps') return say('survey.npsHelp')
  if (type === 'multiChoice') return say('survey.several')
  return type === 'text' ? say('survey.textHelp', { max: MAX_TEXT_LENGTH }) : undefined
}

/** One question of a survey with the control of its type. */
export function SurveyQuestion({ site, question, values, errors }: QuestionProps) {
  const name = getQuestionFieldName(question)
  const field: FieldProps = {
    name,
    label: question.name,
    optional: question.required ? site.words.say('survey.required') : undefined,
    help: helpFor(site, question),
    error: findFieldError(errors, name),
  }
  const [value = ''] = values
  const lang = site.langOf(question.name)
  switch (question.type) {
    case 'text':
      return (
        <div lang={lang}>
          <TextArea {...field} value={value} rows={4} maxlength={MAX_TEXT_LENGTH} />
        </div>
      )
    case 'multiChoice':
      return (
        <QuestionGroup field={field} lang={lang}>
          <div>
            {question.choices.map(({ code, name: label }) => (
              <Checkbox id={`${name}-${code}`} name={name} label={label} value={code} checked={values.includes(code)} />
            ))}
          </div>
        </QuestionGroup>
      )
    case 'choice':
      return (
        <QuestionGroup field={field} lang={lang}>
          <div>
            {question.choices.map(({ code, name: label }) => (
              <RadioChoice name={name} value={code} label={label} checked={value === code} />
            ))}
            {isClearable(question, value) ? (
              <RadioChoice name={name} value="" label={site.words.say('survey.noAnswer')} checked={false} />
            ) : null}
          </div>
        </QuestionGroup>
      )
    default:
      return (
        <QuestionGroup field={field} lang={lang}>
          <Scale name={name} from={question.type === 'nps' ? 0 : 1} to={question.type === 'nps' ? 10 : question.scaleMax} value={value} />
          {isClearable(question, value) ? (
            <RadioChoice name={name} value="" label={site.words.say('survey.noAnswer')} checked={false} />
          ) : null}
        </QuestionGroup>
      )
  }
}

/**
 * Whether a question gets an option that removes the saved answer. Optional questions need one, because browsers cannot unselect a radio
 * button.
 */
const isClearable = ({ required }: Question, value: string) => !required && value !== ''

const QuestionGroup = ({ field, lang, children }: { field: FieldProps; lang: string | undefined; children: Child }) => (
  <fieldset class="field question" id={field.name} tabindex={-1} lang={lang} aria-describedby={buildAriaDescribedBy(field)}>
    <legend class="legend">
      <LabelText {...field} />
    </legend>
    {children}
    <FieldHelpAndError {...field} />
  </fieldset>
)

const RadioChoice = ({ name, value, label, checked }: { name: string; value: string; label: string; checked: boolean }) => (
  <div class="choice">
    <input id={`${name}-${value || 'none'}`} name={name} type="radio" value={value} checked={checked} />
    <div>
      <label for={`${name}-${value || 'none'}`}>{label}</label>
    </div>
  </div>
)

/** The scale of a rating question: one radio button for each number, in a row that wraps on narrow screens. */
const Scale = ({ name, from, to, value }: { name: string; from: number; to: number; value: string }) => (
  <div class="nights scale">
    {Array.from({ length: to - from + 1 }, (_, index) => String(from + index)).map((point) => (
      <label class="night">
        <input type="radio" name={name} value={point} checked={value === point} />
        <span>{point}</span>
      </label>
    ))}
  </div>
)
