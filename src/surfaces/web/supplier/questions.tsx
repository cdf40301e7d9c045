import type { QuestionForSupplier } from '../../../domains/rfps/questions.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { ErrorSummary, findFieldError, Form, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import type { RfpView } from './rfp.ts'

export interface SubmittedForm extends FormErrors {
  sent: Record<string, string>
}

interface Props {
  view: RfpView
  csrf: string
  formErrors: SubmittedForm | null
}

const Question = ({ view: { at, isOpen }, csrf, formErrors, question }: Props & { question: QuestionForSupplier }) => {
  const { say, locale } = at.site.words
  const client = at.site.client.name
  const when = (instant: Date) => formatInstantWithTimeZone(locale, instant, at.site.facts.timezone)
  const asker = { you: say('supplier.you'), supplier: say('supplier.fromSupplier'), organizer: client }[question.from]
  const waits = question.from === 'you' && question.answers.length === 0
  const name = `answer-${question.id}`
  const error = findFieldError(formErrors?.errors, name)
  return (
    <li>
      <p class="asked" dir="auto">
        {question.body}
      </p>
      <p class="small muted">{[asker, when(question.at), ...(waits ? [say('supplier.waiting')] : [])].join(' · ')}</p>
      {question.answers.map(({ from, body, at: answeredAt, toAll }) => (
        <div class="answer">
          <p class="pre" dir="auto">
            {body}
          </p>
          <p class="small muted">
            {[
              from === 'you' ? say('supplier.you') : client,
              when(answeredAt),
              ...(from === 'you' ? [] : [say(toAll ? 'supplier.toAll' : 'supplier.toYou')]),
            ].join(' · ')}
          </p>
        </div>
      ))}
      {question.from === 'organizer' && isOpen ? (
        <Form action={`${at.home}/answer`} csrf={csrf} class="stack">
          <input type="hidden" name="question" value={question.id} />
          <TextArea name={name} label={say('supplier.answer')} rows={2} value={formErrors?.sent[name]} error={error} />
          <button type="submit" class="button">
            {say('supplier.answerSend')}
          </button>
        </Form>
      ) : null}
    </li>
  )
}

/** The questions and answers of the RFP, and the form to ask a question. */
export const RfpQuestions = ({ view, csrf, formErrors }: Props) => {
  const { at, rfp, questions, isOpen } = view
  const { say, locale } = at.site.words
  const moment = formatInstantWithTimeZone(locale, rfp.questions_due_at, at.site.facts.timezone)
  const canAsk = isOpen && at.site.facts.now < rfp.questions_due_at
  const concernsQuestions = formErrors?.errors?.some(({ path }) => path === 'ask' || path.startsWith('answer-'))
  return (
    <Card id="questions" title={say('supplier.qa')}>
      <div class="stack">
        {concernsQuestions ? <ErrorSummary {...formErrors} /> : null}
        {questions.length === 0 ? <p class="muted">{say('supplier.noQuestions')}</p> : null}
        <ul class="qa">
          {questions.map((question) => (
            <Question view={view} csrf={csrf} formErrors={formErrors} question={question} />
          ))}
        </ul>
        {canAsk ? (
          <Form action={`${at.home}/ask`} csrf={csrf} class="stack">
            <TextArea
              name="ask"
              label={say('supplier.ask')}
              rows={3}
              value={formErrors?.sent['ask']}
              help={say('supplier.askHelp', { moment, client: at.site.client.name })}
              error={findFieldError(formErrors?.errors, 'ask')}
            />
            <button type="submit" class="button">
              {say('supplier.askSend')}
            </button>
          </Form>
        ) : (
          <p class="muted">{say('supplier.askClosed', { moment })}</p>
        )}
      </div>
    </Card>
  )
}
