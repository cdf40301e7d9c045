import { ANNOUNCED_KINDS } from '../../../kernel/announce.ts'
import { Actions, Button, Checkbox, ErrorSummary, errorOf, Form, Input, LinkButton, Select } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import type { Label, Refused } from '../fields.ts'
import { everyValue } from '../form-values.ts'
import type { FormValues } from '../web.ts'
import type { AtClient } from './at-client.ts'

const LABELS: Record<string, string> = {
  account: 'API account',
  url: 'Address',
  kinds: 'What it is told',
  eventCode: 'Event',
  description: 'Note',
}
export const webhookLabel: Label = (path) => LABELS[path.split('/')[0]!] ?? ''

/** A trial is sent to whoever is tried. */
const CHOICES = ANNOUNCED_KINDS.filter((kind) => kind !== 'webhook.test')

const Kinds = ({ form }: { form: FormValues }) => {
  const chosen = everyValue(form, 'kinds')
  return (
    <fieldset class="choices-in in-columns">
      <legend class="hidden">Kinds</legend>
      {CHOICES.map((kind) => (
        <Checkbox id={`kinds-${kind}`} name="kinds" value={kind} label={kind} checked={chosen.includes(kind)} />
      ))}
    </fieldset>
  )
}

interface NewWebhook {
  at: AtClient
  csrf: string
  form: FormValues
  refused: Refused
  accounts: { id: string; name: string }[]
  events: { code: string; name: string }[]
}

export const NewWebhookForm = ({ at, csrf, form, refused, accounts, events }: NewWebhook) => {
  const field = (name: string) => ({ name, value: form[name], error: errorOf(refused.errors, name) })
  return (
    <>
      <Heading title="New webhook" text={at.client.name} crumbs={[{ href: `${at.base}/webhooks`, label: 'Webhooks' }]} />
      <ErrorSummary {...refused} />
      <Card>
        <Form action={`${at.base}/webhooks`} csrf={csrf} class="stack-l">
          <Select
            {...field('account')}
            label="API account"
            help="It is told what this account may read"
            options={accounts.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <Input
            {...field('url')}
            type="url"
            label="Address"
            required
            autocomplete="off"
            help="Where messages are sent. It starts with https://"
          />
          <Select
            {...field('eventCode')}
            label="Event"
            options={[
              { value: '', label: 'All that the account covers' },
              ...events.map(({ code, name }) => ({ value: code, label: name })),
            ]}
          />
          <Input {...field('description')} label="Note" maxlength={500} autocomplete="off" help="For you, such as who runs the receiver" />
          <div class="stack">
            <Checkbox
              id="all"
              name="all"
              value="yes"
              label="All kinds, also those to come"
              checked={form['all'] === 'yes' || Object.keys(form).length === 0}
            />
            <details open={form['all'] !== 'yes' && Object.keys(form).length > 0}>
              <summary>Or leave that off and choose</summary>
              <Kinds form={form} />
            </details>
            {errorOf(refused.errors, 'kinds') ? <p class="error">{errorOf(refused.errors, 'kinds')}</p> : null}
          </div>
          <Actions>
            <Button tone="primary">Create webhook</Button>
            <LinkButton href={`${at.base}/webhooks`}>Cancel</LinkButton>
          </Actions>
        </Form>
      </Card>
    </>
  )
}
