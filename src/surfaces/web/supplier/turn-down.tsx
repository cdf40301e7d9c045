import { TURN_DOWN_REASONS, type TurnDownReason } from '../../../domains/rfps/portal.ts'
import { ErrorSummary, findFieldError, Form, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import type { SubmittedForm } from './questions.tsx'
import type { RfpView } from './rfp.ts'

const REASONS = Object.keys(TURN_DOWN_REASONS) as TurnDownReason[]

export const isDeclineReason = (value: string | undefined): value is TurnDownReason => REASONS.some((one) => one === value)

/** The form to decline the RFP, or to undo an earlier decline. */
export const DeclineRfpForm = ({ view, csrf, formErrors }: { view: RfpView; csrf: string; formErrors: SubmittedForm | null }) => {
  const { at, rfp, recipient } = view
  const { say } = at.site.words
  if (!view.isOpen || recipient.status === 'withdrawn') return null
  if (recipient.status === 'turnedDown')
    return (
      <Form action={`${at.home}/take-back`} csrf={csrf}>
        <button type="submit" class="button">
          {say('supplier.takeBack')}
        </button>
      </Form>
    )
  const error = findFieldError(formErrors?.errors, 'why-full')
  return (
    <Card>
      <details open={error !== undefined}>
        <summary>{say('supplier.turnDown')}</summary>
        <Form action={`${at.home}/turn-down`} csrf={csrf} class="stack">
          {error ? <ErrorSummary {...formErrors!} /> : null}
          <p class="muted">{say('supplier.turnDownText')}</p>
          <fieldset class="field">
            <legend>{say('supplier.why')}</legend>
            <div class="options">
              {REASONS.map((reason) => (
                <label class="option">
                  <input type="radio" name="why" id={`why-${reason}`} value={reason} checked={formErrors?.sent['why'] === reason} />
                  <span class="name">{say(`supplier.why.${reason}`)}</span>
                </label>
              ))}
            </div>
            {error ? <span class="error">{error}</span> : null}
          </fieldset>
          <TextArea
            name="message"
            label={say('supplier.message', { client: at.site.client.name })}
            optional={say('field.optional')}
            rows={2}
            value={formErrors?.sent['message']}
          />
          <button type="submit" class="button danger">
            {say('supplier.turnDownButton', { number: rfp.number })}
          </button>
        </Form>
      </details>
    </Card>
  )
}

export const WithdrawOfferForm = ({ view: { at, recipient, isOpen }, csrf }: { view: RfpView; csrf: string }) => {
  const { say } = at.site.words
  if (!isOpen || recipient.status !== 'submitted') return null
  return (
    <Card>
      <details>
        <summary>{say('supplier.withdraw')}</summary>
        <Form action={`${at.home}/withdraw`} csrf={csrf} class="stack">
          <p class="muted">{say('supplier.withdrawText')}</p>
          <button type="submit" class="button danger">
            {say('supplier.withdraw')}
          </button>
        </Form>
      </details>
    </Card>
  )
}
