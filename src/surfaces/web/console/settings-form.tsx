import type { Child } from 'hono/jsx'
import { formatCountryWithCode, CountrySelect, CurrencySelect, TimeZoneSelect } from '../components/codes.tsx'
import { ColourInput } from '../components/colour.tsx'
import { createFieldPropsGetter } from '../components/form-page.tsx'
import { FormActions, Button, Checkbox, findFieldError, Form, Input, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import type { FormValues } from '../web.ts'
import { countTaxRows } from './settings-values.ts'

/** Headings of the parts of the settings form, by the id of the part on the page. */
export const SETTINGS_FORM_SECTIONS = {
  general: 'General',
  defaults: 'Defaults for new events',
  brand: 'Brand',
  billing: 'Billing',
  tax: 'Tax registrations',
  reports: 'Reports',
  confirmation: 'Confirmation of large changes',
  embedding: 'Embedding',
} as const

const Section = ({ part, text, children }: { part: keyof typeof SETTINGS_FORM_SECTIONS; text?: Child; children: Child }) => (
  <Card id={part} title={SETTINGS_FORM_SECTIONS[part]}>
    {text ? <p class="muted lead-in">{text}</p> : null}
    {children}
  </Card>
)

const TaxRow = ({ row, form, formErrors, isNew }: { row: number; form: FormValues; formErrors: FormErrors; isNew: boolean }) => {
  const here = `taxRegistrations/${row}`
  const fields = createFieldPropsGetter(form, formErrors)
  const at = (field: string) => fields(`${here}/${field}`)
  const whole = findFieldError(formErrors.errors, here)
  const isWrong = formErrors.errors?.some(({ path }) => path === here || path.startsWith(`${here}/`)) ?? false
  const country = at('country')
  // The country of a saved tax number is fixed. For a new one it is typed, because a second list of countries adds 9 KB to the page.
  const isSettled = !isNew && !isWrong && country.value
  const title = `Registration ${row + 1}`
  return (
    <fieldset class="subform" id={here} tabindex={-1}>
      <legend class="legend">{isNew ? 'Add a registration' : isSettled ? `${title}: ${formatCountryWithCode(isSettled)}` : title}</legend>
      {whole ? <span class="error">{whole}</span> : null}
      <div class="fields-tax">
        {isSettled ? (
          <input type="hidden" name={country.name} value={isSettled} />
        ) : (
          <Input {...country} label="Country" help="Code or name, such as DE or Germany" maxlength={100} autocomplete="off" />
        )}
        <Input {...at('region')} label="State or region" maxlength={10} />
        <Input {...at('number')} label="Tax number" maxlength={40} />
        <Input {...at('from')} type="date" label="From" />
        <Input {...at('until')} type="date" label="Until" />
      </div>
      {isNew ? null : <Checkbox name={`taxRegistrations/${row}/remove`} label={`Remove registration ${row + 1}`} />}
    </fieldset>
  )
}

/** The form for all settings of a client except two: whether assistants are allowed, and whether the client is hidden. */
export const SettingsForm = ({
  action,
  csrf,
  form,
  formErrors,
}: {
  action: string
  csrf: string
  form: FormValues
  formErrors: FormErrors
}) => {
  const at = createFieldPropsGetter(form, formErrors)
  const hostErrors = formErrors.errors?.filter((e) => e.path.startsWith('embedHosts')).map((e) => e.message)
  const recipientErrors = formErrors.errors?.filter((e) => e.path.startsWith('reportRecipients')).map((e) => e.message)
  const rows = countTaxRows(form)
  return (
    <Form action={action} csrf={csrf} class="sections">
      <input type="hidden" name="revision" value={form['revision']} />
      <Section part="general">
        <div class="fields-2">
          <Input {...at('name')} label="Name" maxlength={160} required autocomplete="off" />
          <CountrySelect {...at('establishedIn')} label="Established in" optional="(optional)" none="Not set" />
        </div>
      </Section>
      <Section part="defaults" text="Existing events do not change.">
        <div class="fields-2">
          <CurrencySelect {...at('defaultCurrency')} label="Currency" />
          <TimeZoneSelect {...at('defaultTimezone')} label="Time zone" />
        </div>
      </Section>
      <Section part="brand" text="Used on event pages and in emails.">
        <div class="fields-2">
          <ColourInput
            {...at('brand/color')}
            label="Main colour"
            optional="(optional)"
            help="Six-digit code such as #2F55D4. If empty, Lanyard’s colour."
          />
          <ColourInput
            {...at('brand/accent')}
            label="Accent colour"
            optional="(optional)"
            help="Six-digit code such as #2F55D4. If empty, Lanyard’s colour."
          />
          <Input {...at('brand/website')} type="url" label="Website" optional="(optional)" maxlength={300} inputmode="url" />
        </div>
      </Section>
      <Section part="billing" text="Shown on invoices and quotes.">
        <div class="fields-2">
          <Input {...at('billing/legalName')} label="Legal name" optional="(optional)" maxlength={200} autocomplete="organization" />
          <Input {...at('paymentTermsDays')} type="number" label="Payment terms" help="Days until an invoice is due" min={0} max={365} />
          <TextArea {...at('billing/address')} label="Address" optional="(optional)" rows={3} />
          <TextArea {...at('billing/bankDetails')} label="Bank details" optional="(optional)" rows={3} />
        </div>
        <TextArea {...at('billing/invoiceFooter')} label="Invoice footer" optional="(optional)" rows={2} />
      </Section>
      <Section part="tax" text="Where this client charges tax, and since when. Only one registration can be valid per place at a time.">
        {Array.from({ length: rows }, (_, row) => (
          <TaxRow row={row} form={form} formErrors={formErrors} isNew={false} />
        ))}
        <TaxRow row={rows} form={form} formErrors={formErrors} isNew />
      </Section>
      <Section part="reports" text="Organizers can always send reports to each other. Other addresses must be listed here.">
        <TextArea
          name="reportRecipients"
          label="Report recipients"
          optional="(optional)"
          help="One email address per line"
          value={form['reportRecipients']}
          rows={3}
          error={recipientErrors?.join('. ') || undefined}
        />
        <Checkbox name="exportAllowed" label="Allow exports of whole events" checked={Boolean(form['exportAllowed'])} />
      </Section>
      <Section part="confirmation" text="Above these limits, assistants must show a preview and wait for approval.">
        <div class="fields-2">
          <Input {...at('confirmThresholds/recipients')} type="number" label="Recipients" help="Emails sent at once" min={0} />
          <Input {...at('confirmThresholds/deletes')} type="number" label="Deleted records" help="Records deleted at once" min={0} />
        </div>
      </Section>
      <Section part="embedding" text="Websites that can show event and registration pages in a frame.">
        <TextArea
          name="embedHosts"
          label="Hosts"
          optional="(optional)"
          help="One host per line, such as www.example.org"
          value={form['embedHosts']}
          rows={3}
          error={hostErrors?.join('. ') || undefined}
        />
      </Section>
      <div class="save-bar">
        <FormActions>
          <Button tone="primary">Save settings</Button>
        </FormActions>
      </div>
    </Form>
  )
}
