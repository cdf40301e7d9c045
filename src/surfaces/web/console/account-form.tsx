import { RadioGroup } from '../components/choices.tsx'
import { createFieldPropsGetter, renderFormPage } from '../components/form-page.tsx'
import { Checkbox, Input } from '../components/forms.tsx'
import type { FieldLabelLookup, FormErrors } from '../fields.ts'
import { listFieldValues } from '../form-values.ts'
import type { FormValues } from '../web.ts'
import type { ClientPageContext } from './client-page.ts'

const LABELS: Record<string, string> = {
  name: 'Name',
  purpose: 'Purpose',
  contactEmail: 'Contact email',
  rateLimitPerMinute: 'Requests per minute',
  coverage: 'Coverage',
}
export const getApiAccountFieldLabel: FieldLabelLookup = (path) => LABELS[path] ?? ''

const PURPOSES = [
  {
    value: 'rest',
    label: 'REST',
    help: 'A server that reads registrations and receives webhooks. It can read all participants it covers.',
  },
  {
    value: 'assistant',
    label: 'Participant assistant',
    help: 'An assistant that signs in one participant with an emailed code and manages their registration. It cannot read other participants.',
  },
  { value: 'both', label: 'Both', help: 'Choose this only if one system does both.' },
]

interface Fields {
  form: FormValues
  formErrors: FormErrors | null
}

/** The fields of an API account that can also be changed later. */
export const ApiAccountFields = ({ form, formErrors }: Fields) => {
  const at = createFieldPropsGetter(form, formErrors)
  return (
    <>
      <Input
        {...at('name')}
        label="Name"
        maxlength={120}
        autocomplete="off"
        required
        help="Participants see this name in sign-in emails, so use one they know."
      />
      <div class="fields-2">
        <Input
          {...at('contactEmail')}
          type="email"
          label="Contact email"
          optional="(optional)"
          autocomplete="off"
          help="Who to contact if there is a problem"
        />
        <Input
          {...at('rateLimitPerMinute')}
          value={form['rateLimitPerMinute'] ?? '60'}
          type="number"
          label="Requests per minute"
          min={1}
          max={6000}
          help="REST only"
        />
      </div>
    </>
  )
}

export const renderNewApiAccountPage = (
  props: Fields & { at: ClientPageContext; csrf: string; events: { code: string; name: string }[] },
) => {
  const { at, csrf, form, formErrors, events } = props
  const field = createFieldPropsGetter(form, formErrors)
  const list = `${at.base}/accounts`
  return renderFormPage({
    title: 'New API account',
    text: at.client.name,
    crumbs: [{ href: list, label: 'API accounts' }],
    formErrors,
    action: list,
    csrf,
    class: 'stack-l',
    submit: 'Create account',
    cancel: list,
    children: (
      <>
        <ApiAccountFields form={form} formErrors={formErrors} />
        <RadioGroup {...field('purpose')} legend="Purpose" value={form['purpose'] ?? 'rest'} options={PURPOSES} />
        <RadioGroup
          {...field('coverage')}
          legend="Events"
          value={form['coverage'] ?? 'client'}
          options={[
            { value: 'client', label: `All events of ${at.client.name}`, help: 'Including future events' },
            { value: 'events', label: 'Only selected events' },
          ]}
        />
        <fieldset class="choices-in">
          <legend class="hidden">Events</legend>
          {events.map((event) => (
            <Checkbox
              id={`events-${event.code}`}
              name="events"
              value={event.code}
              label={event.name}
              checked={listFieldValues(form, 'events').includes(event.code)}
            />
          ))}
        </fieldset>
      </>
    ),
  })
}
