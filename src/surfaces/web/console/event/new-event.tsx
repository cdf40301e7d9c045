import { createEvent } from '../../../../domains/authoring/create-event.ts'
import { type Template, TEMPLATES } from '../../../../domains/authoring/templates/templates.ts'
import type { BrowserSession } from '../../../../domains/sign-in/sessions.ts'
import { code, country, currency, day, name, object, oneOf, text, zone } from '../../../../kernel/args.ts'
import type { ClientAccess } from '../../../../kernel/context.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { permissionsOf } from '../../../../kernel/permissions.ts'
import { Radios } from '../../components/choices.tsx'
import { CountrySelect, CurrencySelect, ZoneSelect } from '../../components/codes.tsx'
import { Actions, Button, ErrorSummary, errorOf, Form, Input, LinkButton, Select } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card } from '../../components/parts.tsx'
import { attempt, type Label, readFields, type Refused } from '../../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../../web.ts'
import { changeAt, clientOf, consolePages, demand, formOf, frame } from '../frame.tsx'

const PATH = '/console/events/new'

const LABELS: Record<string, string> = {
  name: 'Name',
  startsOn: 'First day',
  endsOn: 'Last day',
  'venue/name': 'Venue',
  'venue/city': 'City',
  'venue/country': 'Country',
  code: 'Code',
  timezone: 'Time zone',
  currency: 'Currency',
  template: 'Begin with',
}
const labelOf: Label = (path) => LABELS[path] ?? ''

const Fields = object({
  name: name(),
  startsOn: day(),
  endsOn: day(),
  venue: object({ name: text(160).optional(), city: text(120).optional(), country: country().optional() }),
  code: code().optional(),
  timezone: zone().optional(),
  currency: currency().optional(),
  template: oneOf(TEMPLATES),
})

const BEGINNINGS: Record<Template, { label: string; help: string }> = {
  conference: { label: 'Conference', help: 'Contact, a pass to choose, terms, payment, a badge and two mails.' },
  tradeShow: { label: 'Trade show', help: 'The same for visitors, and a second way in for exhibitors with booths.' },
  meeting: { label: 'Meeting', help: 'Contact, attendance and dietary needs. Nothing to pay.' },
  virtual: { label: 'Online event', help: 'Contact and access to the stream. No place.' },
  blank: { label: 'Nothing', help: 'An empty draft, for when an assistant builds it or copies another event.' },
}

/** Where somebody may create events. */
export const clientsToCreateAt = ({ access }: BrowserSession): ClientAccess[] =>
  access.clients.filter(({ active, roles }) => active && permissionsOf(roles).has('clients.write'))

const NewEvent = (props: { csrf: string; clients: ClientAccess[]; form: FormValues; refused: Refused }) => {
  const { csrf, clients, form, refused } = props
  const at = (field: string) => ({ name: field, value: form[field], error: errorOf(refused.errors, field) })
  return (
    <>
      <Heading
        title="Create an event"
        text="A draft in test mode: nobody can register until you publish it."
        crumbs={[{ href: '/console', label: 'Events' }]}
      />
      <ErrorSummary {...refused} />
      <Card>
        <Form action={PATH} csrf={csrf} class="stack-l">
          {clients.length > 1 ? (
            <Select
              {...at('client')}
              label="Client"
              help="Whose event it is"
              options={clients.map((client) => ({ value: client.code, label: client.name }))}
            />
          ) : (
            <input type="hidden" name="client" value={clients[0]!.code} />
          )}
          <Input {...at('name')} label="Name" maxlength={160} autocomplete="off" required />
          <div class="fields-2">
            <Input {...at('startsOn')} type="date" label="First day" required />
            <Input {...at('endsOn')} type="date" label="Last day" help="Left empty, it lasts one day." />
            <Input {...at('venue/name')} label="Venue" maxlength={160} autocomplete="off" />
            <Input {...at('venue/city')} label="City" maxlength={120} autocomplete="off" />
            <CountrySelect {...at('venue/country')} label="Country" none="Not said" help="Decides which taxes apply." />
            <ZoneSelect {...at('timezone')} label="Time zone" none="As in the client's settings" />
            <CurrencySelect {...at('currency')} label="Currency" none="As in the client's settings" />
            <Input
              {...at('code')}
              label="Code"
              maxlength={63}
              autocomplete="off"
              help="For addresses: a-z, 0-9 and -. Left empty, it is made from the name."
            />
          </div>
          <Radios
            name="template"
            legend="Begin with"
            value={form['template'] ?? 'conference'}
            error={errorOf(refused.errors, 'template')}
            options={Object.entries(BEGINNINGS).map(([value, words]) => ({ value, ...words }))}
          />
          <Actions>
            <Button tone="primary">Create event</Button>
            <LinkButton href="/console">Cancel</LinkButton>
          </Actions>
        </Form>
      </Card>
    </>
  )
}

const given = (form: FormValues, field: string) => form[field]?.trim() || undefined

/** What the form says, as `create_event` takes it. */
const valuesIn = (form: FormValues) => ({
  name: given(form, 'name'),
  startsOn: given(form, 'startsOn'),
  endsOn: given(form, 'endsOn') ?? given(form, 'startsOn'),
  venue: { name: given(form, 'venue/name'), city: given(form, 'venue/city'), country: given(form, 'venue/country') },
  code: given(form, 'code'),
  timezone: given(form, 'timezone'),
  currency: given(form, 'currency'),
  template: given(form, 'template'),
})

/** `/console/events/new`: an event from a template, as `create_event` makes it. */
export function newEventPages(web: Web) {
  function page(c: WebContext, form: FormValues, refused: Refused | null) {
    const clients = clientsToCreateAt(c.get('session'))
    if (clients.length === 0)
      throw new AppError(
        'forbidden',
        'This page needs the clients.write permission at one of your clients. A client administrator can give it.',
      )
    const shown = <NewEvent csrf={csrfFor(web, c)} clients={clients} form={form} refused={refused ?? {}} />
    return frame(web, c, { title: 'Create an event', current: '/console', status: refused ? 400 : 200 }, shown)
  }

  return consolePages(web)
    .get(PATH, (c) => page(c, { client: c.req.query('client') ?? '' }, null))
    .post(PATH, async (c) => {
      const form = await formOf(web, c)
      const session = c.get('session')
      const client = clientOf(session, form['client'])
      demand(client, 'clients.write')
      const read = readFields(Fields, valuesIn(form), labelOf)
      if ('errors' in read) return page(c, form, read)
      const { venue, ...request } = read.data
      const hasVenue = Object.values(venue).some((part) => part !== undefined)
      let created = ''
      const refused = await attempt(async () => {
        const { event } = await changeAt(web, session, { client, action: 'create_event' }, (ctx) =>
          createEvent(ctx, { ...request, ...(hasVenue ? { venue } : {}) }),
        )
        created = event.code
      }, labelOf)
      if (refused) return page(c, form, refused)
      return c.redirect(`/console/events/${client.code}/${created}?done=created`, 303)
    })
}
