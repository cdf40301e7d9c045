import type { Child } from 'hono/jsx'
import { FormActions, Button, LabelledField, Form, Select } from '../../components/forms.tsx'
import { ChangeEffectList } from '../../components/outcome.tsx'
import type { FormErrors } from '../../fields.ts'
import { createFieldPropsGetter } from '../../components/form-page.tsx'
import type { FormValues } from '../../form-values.ts'
import { WAITLIST_OFFER_HOURS } from './request.ts'

const HOUR_LABELS: Record<(typeof WAITLIST_OFFER_HOURS)[number], string> = { 24: '24 hours', 48: '48 hours', 72: '3 days', 168: '7 days' }

export interface WaitlistOfferFormProps {
  action: string
  csrf: string
  hidden: Readonly<Record<string, string>>
  form: FormValues
  formErrors: FormErrors | null
  /** The largest number of people who can be offered a seat; null for an offer to one person. */
  most: number | null
  /** The tags that the user can choose from, to offer seats to participants with that tag first. */
  tags: readonly { code: string; name: string }[]
  /** Whether the user may choose to charge saved payment cards. */
  mayCharge: boolean
  effects: readonly Child[]
  confirmToken: string
  /** Label of the button that makes the offer; null if there is nothing to offer. */
  submit: string | null
  more?: Child
}

/** The form that offers seats, with the effects of its current values above the button. */
export const WaitlistOfferForm = (props: WaitlistOfferFormProps) => {
  const { action, csrf, hidden, form, formErrors, most, tags, mayCharge, effects, confirmToken, submit, more } = props
  const fields = createFieldPropsGetter(form, formErrors)
  const charge = form['charge'] === 'savedCard' ? 'savedCard' : 'offer'
  const count = { name: 'count', label: 'How many', error: fields('count').error }
  return (
    <Form action={action} csrf={csrf} class="stack offer-form">
      {Object.entries({ ...hidden, confirmToken }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="form-grid">
        {most === null ? null : (
          <LabelledField field={count}>
            <input
              id="count"
              name="count"
              type="number"
              inputmode="numeric"
              min={1}
              max={most}
              value={form['count']}
              aria-invalid={count.error ? 'true' : undefined}
              aria-describedby={count.error ? 'count-error' : undefined}
            />
          </LabelledField>
        )}
        <Select
          {...fields('offerHours')}
          label="Time to answer"
          options={WAITLIST_OFFER_HOURS.map((hours) => ({ value: String(hours), label: HOUR_LABELS[hours] }))}
          value={form['offerHours'] ?? '48'}
        />
        {most === null || tags.length === 0 ? null : (
          <Select
            {...fields('first')}
            label="Who goes first"
            options={[
              { value: '', label: 'In order of joining' },
              ...tags.map(({ code, name }) => ({ value: code, label: `${name}, then in order` })),
            ]}
          />
        )}
      </div>
      {mayCharge ? (
        <fieldset class="picks">
          <legend>Payment</legend>
          <label class="pick">
            <input type="radio" name="charge" value="offer" checked={charge === 'offer'} />
            Email an offer with a pay link
          </label>
          <label class="pick">
            <input type="radio" name="charge" value="savedCard" checked={charge === 'savedCard'} />
            Charge saved cards now
          </label>
        </fieldset>
      ) : null}
      <ChangeEffectList effects={effects} />
      <FormActions>
        {submit ? <Button tone="primary">{submit}</Button> : null}
        <Button name="check" value="yes" tone="quiet">
          Check again
        </Button>
        {more}
      </FormActions>
    </Form>
  )
}
