import type { Child } from 'hono/jsx'
import { countryInWords, CountrySelect, CurrencySelect, ZoneSelect } from '../components/codes.tsx'
import { ColourInput } from '../components/colour.tsx'
import { Actions, Button, Checkbox, errorOf, Form, Input, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import type { Refused } from '../fields.ts'
import type { FormValues } from '../web.ts'
import { taxRowsOf } from './settings-values.ts'

const Section = ({ title, text, children }: { title: string; text?: Child; children: Child }) => (
  <Card title={title}>
    {text ? <p class="muted lead-in">{text}</p> : null}
    {children}
  </Card>
)

const TaxRow = ({ row, form, refused, isNew }: { row: number; form: FormValues; refused: Refused; isNew: boolean }) => {
  const at = (field: string) => {
    const name = `taxRegistrations/${row}/${field}`
    return { name, value: form[name], error: errorOf(refused.errors, name) }
  }
  const here = `taxRegistrations/${row}`
  const whole = errorOf(refused.errors, here)
  const isWrong = refused.errors?.some(({ path }) => path === here || path.startsWith(`${here}/`)) ?? false
  const country = at('country')
  // A number belongs to its country, and the page would be mostly countries if every row offered them all.
  const isSettled = !isNew && !isWrong && country.value
  const title = `Registration ${row + 1}`
  return (
    <fieldset class="subform" id={here} tabindex={-1}>
      <legend class="legend">{isNew ? 'Add a registration' : isSettled ? `${title}: ${countryInWords(isSettled)}` : title}</legend>
      {whole ? <span class="error">{whole}</span> : null}
      <div class="fields-tax">
        {isSettled ? (
          <input type="hidden" name={country.name} value={isSettled} />
        ) : (
          <CountrySelect {...country} label="Country" none={isNew ? 'None' : undefined} />
        )}
        <Input {...at('region')} label="State or region" maxlength={10} />
        <Input {...at('number')} label="Tax number" maxlength={40} />
        <Input {...at('from')} type="date" label="From" />
        <Input {...at('until')} type="date" label="Until" />
      </div>
      {isNew ? null : <Checkbox name={`taxRegistrations/${row}/remove`} label={`Remove registration ${row + 1} when saving`} />}
    </fieldset>
  )
}

/** Everything but the two switches, in one form: what is seen together is saved together. */
export const SettingsForm = ({ action, csrf, form, refused }: { action: string; csrf: string; form: FormValues; refused: Refused }) => {
  const at = (name: string) => ({ name, value: form[name], error: errorOf(refused.errors, name) })
  const hostErrors = refused.errors?.filter((e) => e.path.startsWith('embedHosts')).map((e) => e.message)
  const rows = taxRowsOf(form)
  return (
    <Form action={action} csrf={csrf} class="sections">
      <input type="hidden" name="revision" value={form['revision']} />
      <Section title="General">
        <div class="fields-2">
          <Input {...at('name')} label="Name" maxlength={160} required autocomplete="off" />
          <CountrySelect {...at('establishedIn')} label="Established in" none="Not set" />
        </div>
      </Section>
      <Section title="Defaults for new events" text="Events that exist already keep what they have.">
        <div class="fields-2">
          <CurrencySelect {...at('defaultCurrency')} label="Currency" />
          <ZoneSelect {...at('defaultTimezone')} label="Time zone" />
        </div>
      </Section>
      <Section title="Brand" text="Used on event pages and in mails.">
        <div class="fields-2">
          <ColourInput {...at('brand/color')} label="Main colour" help="Written #rrggbb, or left empty" />
          <ColourInput {...at('brand/accent')} label="Accent colour" help="Written #rrggbb, or left empty" />
          <Input {...at('brand/website')} type="url" label="Website" maxlength={300} inputmode="url" />
        </div>
      </Section>
      <Section title="Billing" text="Stands on invoices and quotes.">
        <div class="fields-2">
          <Input {...at('billing/legalName')} label="Legal name" maxlength={200} autocomplete="organization" />
          <Input {...at('paymentTermsDays')} type="number" label="Payment terms" help="Days until an invoice is due" min={0} max={365} />
          <TextArea {...at('billing/address')} label="Address" rows={3} />
          <TextArea {...at('billing/bankDetails')} label="Bank details" rows={3} />
        </div>
        <TextArea {...at('billing/invoiceFooter')} label="Invoice footer" rows={2} />
      </Section>
      <Section
        title="Tax registrations"
        text="Where this client charges tax, and since when. One registration per place at a time; for another country add one."
      >
        {Array.from({ length: rows }, (_, row) => (
          <TaxRow row={row} form={form} refused={refused} isNew={false} />
        ))}
        <TaxRow row={rows} form={form} refused={refused} isNew />
      </Section>
      <Section
        title="Ask before large changes"
        text="Above these numbers an assistant must show a preview with exact counts first, and run it only after the person agreed."
      >
        <div class="fields-2">
          <Input {...at('confirmThresholds/recipients')} type="number" label="Recipients" help="Mails sent at once" min={0} />
          <Input {...at('confirmThresholds/deletes')} type="number" label="Deleted records" help="Records deleted at once" min={0} />
        </div>
      </Section>
      <Section title="Embedding" text="Websites that may show event and registration pages inside their own.">
        <TextArea
          name="embedHosts"
          label="Hosts"
          help="One per line, such as www.example.org"
          value={form['embedHosts']}
          rows={3}
          error={hostErrors?.join('. ') || undefined}
        />
      </Section>
      <div class="save-bar">
        <Actions>
          <Button tone="primary">Save settings</Button>
        </Actions>
      </div>
    </Form>
  )
}
