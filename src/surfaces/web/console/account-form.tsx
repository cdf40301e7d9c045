import { Radios } from '../components/choices.tsx'
import { Actions, Button, Checkbox, ErrorSummary, errorOf, Form, Input, LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import type { Label, Refused } from '../fields.ts'
import { everyValue } from '../form-values.ts'
import type { FormValues } from '../web.ts'
import type { AtClient } from './at-client.ts'

const LABELS: Record<string, string> = {
  name: 'Name',
  purpose: 'Purpose',
  contactEmail: 'Contact email',
  rateLimitPerMinute: 'Requests per minute',
  coverage: 'Coverage',
}
export const accountLabel: Label = (path) => LABELS[path] ?? ''

const PURPOSES = [
  { value: 'rest', label: 'REST', help: 'A server reads registrations and gets webhooks. It can read every participant it covers.' },
  {
    value: 'assistant',
    label: 'Participant assistant',
    help: 'An assistant signs one person in with a mailed code and works on their registration. It cannot read others.',
  },
  { value: 'both', label: 'Both', help: 'Choose this only when one system really does both.' },
]

interface Fields {
  form: FormValues
  refused: Refused
}

/** What can be changed later too. */
export const AccountFields = ({ form, refused }: Fields) => {
  const at = (name: string) => ({ name, value: form[name], error: errorOf(refused.errors, name) })
  return (
    <>
      <Input
        {...at('name')}
        label="Name"
        maxlength={120}
        autocomplete="off"
        required
        help="People see it at the start of sign-in mails, so use a name they know."
      />
      <div class="fields-2">
        <Input {...at('contactEmail')} type="email" label="Contact email" autocomplete="off" help="Whom to tell when something is wrong" />
        <Input
          {...at('rateLimitPerMinute')}
          value={form['rateLimitPerMinute'] ?? '60'}
          type="number"
          label="Requests per minute"
          min={1}
          max={6000}
          help="For REST only"
        />
      </div>
    </>
  )
}

export const NewAccountForm = (props: Fields & { at: AtClient; csrf: string; events: { code: string; name: string }[] }) => {
  const { at, csrf, form, refused, events } = props
  return (
    <>
      <Heading title="New API account" text={at.client.name} crumbs={[{ href: `${at.base}/accounts`, label: 'API accounts' }]} />
      <ErrorSummary {...refused} />
      <Card>
        <Form action={`${at.base}/accounts`} csrf={csrf} class="stack-l">
          <AccountFields form={form} refused={refused} />
          <Radios
            name="purpose"
            legend="What it is for"
            options={PURPOSES}
            value={form['purpose']}
            error={errorOf(refused.errors, 'purpose')}
          />
          <Radios
            name="coverage"
            legend="What it covers"
            value={form['coverage'] ?? 'client'}
            error={errorOf(refused.errors, 'coverage')}
            options={[
              { value: 'client', label: `All events of ${at.client.name}`, help: 'Also those made later' },
              { value: 'events', label: 'Only the events chosen here' },
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
                checked={everyValue(form, 'events').includes(event.code)}
              />
            ))}
          </fieldset>
          <Actions>
            <Button tone="primary">Create account</Button>
            <LinkButton href={`${at.base}/accounts`}>Cancel</LinkButton>
          </Actions>
        </Form>
      </Card>
    </>
  )
}
