import { WEBHOOK_ANNOUNCEMENT_KINDS } from '../../../kernel/announce.ts'
import { createFieldPropsGetter, renderFormPage } from '../components/form-page.tsx'
import { Checkbox, findFieldError, Input, Select } from '../components/forms.tsx'
import type { FieldLabelLookup, FormErrors } from '../fields.ts'
import { listFieldValues } from '../form-values.ts'
import type { FormValues } from '../web.ts'
import type { ClientPageContext } from './client-page.ts'

const LABELS: Record<string, string> = {
  account: 'API account',
  url: 'Address',
  kinds: 'Notifications',
  eventCode: 'About',
  description: 'Note',
}
export const getWebhookFieldLabel: FieldLabelLookup = (path) => LABELS[path.split('/')[0]!] ?? ''

/** The kinds of announcements that a webhook can subscribe to. Test announcements are sent only by the test button. */
const EVENT_TYPES = WEBHOOK_ANNOUNCEMENT_KINDS.filter((kind) => kind !== 'webhook.test')

const EventTypes = ({ form }: { form: FormValues }) => {
  const chosen = listFieldValues(form, 'kinds')
  return (
    <fieldset class="choices-in in-columns">
      <legend class="hidden">Types of notifications</legend>
      {EVENT_TYPES.map((kind) => (
        <Checkbox id={`kinds-${kind}`} name="kinds" value={kind} label={kind} checked={chosen.includes(kind)} />
      ))}
    </fieldset>
  )
}

interface NewWebhook {
  at: ClientPageContext
  csrf: string
  form: FormValues
  formErrors: FormErrors | null
  accounts: { id: string; name: string }[]
  events: { code: string; name: string }[]
}

export const renderNewWebhookPage = ({ at, csrf, form, formErrors, accounts, events }: NewWebhook) => {
  const field = createFieldPropsGetter(form, formErrors)
  const kindsError = findFieldError(formErrors?.errors, 'kinds')
  const list = `${at.base}/webhooks`
  return renderFormPage({
    title: 'New webhook',
    text: at.client.name,
    crumbs: [{ href: list, label: 'Webhooks' }],
    formErrors,
    action: list,
    csrf,
    class: 'stack-l',
    submit: 'Create webhook',
    cancel: list,
    children: (
      <>
        <Select
          {...field('account')}
          label="API account"
          help="The webhook gets notifications about the data that this account can read"
          options={accounts.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Input
          {...field('url')}
          type="url"
          label="Address"
          required
          autocomplete="off"
          help="The URL that receives the notifications. Must start with https://"
        />
        <Select
          {...field('eventCode')}
          label="About"
          options={[{ value: '', label: 'All events of the account' }, ...events.map(({ code, name }) => ({ value: code, label: name }))]}
        />
        <Input
          {...field('description')}
          label="Note"
          optional="(optional)"
          maxlength={500}
          autocomplete="off"
          help="For your own reference, such as who runs the receiver"
        />
        <div class="stack">
          <Checkbox
            id="all"
            name="all"
            value="yes"
            label="All types of notifications, including future ones"
            checked={form['all'] === 'yes' || Object.keys(form).length === 0}
          />
          <details open={form['all'] !== 'yes' && Object.keys(form).length > 0}>
            <summary>Choose types</summary>
            <EventTypes form={form} />
          </details>
          {kindsError ? <p class="error">{kindsError}</p> : null}
        </div>
      </>
    ),
  })
}
