import { createEvent } from '../../../../domains/authoring/create-event.ts'
import { type Template, TEMPLATES } from '../../../../domains/authoring/templates/templates.ts'
import type { BrowserSession } from '../../../../domains/sign-in/sessions.ts'
import { code, country, currency, day, locale, name, object, oneOf, text, ianaTimeZone } from '../../../../kernel/args.ts'
import type { ClientAccess } from '../../../../kernel/context.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { LANGUAGES } from '../../../../kernel/language/translator.ts'
import { permissionsOf } from '../../../../kernel/permissions.ts'
import { RadioGroup } from '../../components/choices.tsx'
import { CountrySelect, CurrencySelect, TimeZoneSelect } from '../../components/codes.tsx'
import { createFieldPropsGetter, renderFormPage } from '../../components/form-page.tsx'
import { Input, Select } from '../../components/forms.tsx'
import { catchFormErrors, type FieldLabelLookup, validateFormFields, type FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../../web.ts'
import {
  runClientChange,
  getClientOfUser,
  createConsoleRouter,
  requireClientPermission,
  requireConsoleForm,
  sendConsolePage,
} from '../frame.tsx'

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
  locale: 'Language',
  template: 'Start with',
}
const languageNames = new Intl.DisplayNames('en', { type: 'language' })
const LANGUAGE_OPTIONS = LANGUAGES.map((language) => ({ value: language, label: languageNames.of(language) ?? language }))

const labelOf: FieldLabelLookup = (path) => LABELS[path] ?? ''

const Fields = object({
  name: name(),
  startsOn: day(),
  endsOn: day(),
  venue: object({ name: text(160).optional(), city: text(120).optional(), country: country().optional() }),
  code: code().optional(),
  timezone: ianaTimeZone().optional(),
  currency: currency().optional(),
  locale: locale().optional(),
  template: oneOf(TEMPLATES),
})

const TEMPLATE_LABELS: Record<Template, { label: string; help: string }> = {
  conference: { label: 'Conference', help: 'Contact details, a choice of passes, terms, payment, a badge and two emails.' },
  tradeShow: { label: 'Trade show', help: 'The same for visitors, with a second form for exhibitors with booths.' },
  meeting: { label: 'Meeting', help: 'Contact details, attendance and dietary needs. Free of charge.' },
  virtual: { label: 'Online event', help: 'Contact details and access to the stream. No venue.' },
  blank: { label: 'Blank', help: 'An empty draft, to be built by an assistant or copied from another event.' },
}

/** Lists the clients at which the user may create events. */
export const listClientsForNewEvent = ({ access }: BrowserSession): ClientAccess[] =>
  access.clients.filter(({ active, roles }) => active && permissionsOf(roles).has('clients.write'))

interface NewEventProps {
  csrf: string
  clients: ClientAccess[]
  form: FormValues
  formErrors: FormErrors | null
}

const newEventPage = ({ csrf, clients, form, formErrors }: NewEventProps) => {
  const at = createFieldPropsGetter(form, formErrors)
  return renderFormPage({
    title: 'Create an event',
    text: 'The event starts as a draft in test mode. Registration opens after you publish it.',
    crumbs: [{ href: '/console', label: 'Events' }],
    formErrors,
    action: PATH,
    csrf,
    class: 'stack-l',
    submit: 'Create event',
    cancel: '/console',
    children: (
      <>
        {clients.length > 1 ? (
          <Select
            {...at('client')}
            label="Client"
            help="The owner of the event"
            options={clients.map((client) => ({ value: client.code, label: client.name }))}
          />
        ) : (
          <input type="hidden" name="client" value={clients[0]!.code} />
        )}
        <Input {...at('name')} label="Name" maxlength={160} autocomplete="off" required />
        <div class="fields-2">
          <Input {...at('startsOn')} type="date" label="First day" required />
          <Input {...at('endsOn')} type="date" label="Last day" optional="(optional)" help="Leave empty for a one-day event." />
          <Input {...at('venue/name')} label="Venue" optional="(optional)" maxlength={160} autocomplete="off" />
          <Input {...at('venue/city')} label="City" optional="(optional)" maxlength={120} autocomplete="off" />
          <CountrySelect
            {...at('venue/country')}
            label="Country"
            optional="(optional)"
            none="Not set"
            help="Determines which taxes apply."
          />
          <TimeZoneSelect {...at('timezone')} label="Time zone" none="Client default" />
          <CurrencySelect {...at('currency')} label="Currency" none="Client default" />
          <Select {...at('locale')} label="Language" options={LANGUAGE_OPTIONS} help="The template’s texts and emails are written in it." />
          <Input
            {...at('code')}
            label="Code"
            optional="(optional)"
            maxlength={63}
            autocomplete="off"
            help="Used in addresses: a-z, 0-9 and -. Leave empty to create it from the name."
          />
        </div>
        <RadioGroup
          {...at('template')}
          legend="Start with"
          value={form['template'] ?? 'conference'}
          options={Object.entries(TEMPLATE_LABELS).map(([value, words]) => ({ value, ...words }))}
        />
      </>
    ),
  })
}

const given = (form: FormValues, field: string) => form[field]?.trim() || undefined

/** Converts the form to the arguments of `create_event`. */
const toEventInput = (form: FormValues) => ({
  name: given(form, 'name'),
  startsOn: given(form, 'startsOn'),
  endsOn: given(form, 'endsOn') ?? given(form, 'startsOn'),
  venue: { name: given(form, 'venue/name'), city: given(form, 'venue/city'), country: given(form, 'venue/country') },
  code: given(form, 'code'),
  timezone: given(form, 'timezone'),
  currency: given(form, 'currency'),
  locale: given(form, 'locale'),
  template: given(form, 'template'),
})

/** `/console/events/new`: creates an event from a template, like `create_event`. */
export function eventCreationPages(web: WebServices) {
  function page(c: WebContext, form: FormValues, formErrors: FormErrors | null) {
    const clients = listClientsForNewEvent(c.get('session'))
    if (clients.length === 0)
      throw new AppError(
        'forbidden',
        'This page needs the clients.write permission at one of your clients. Ask a client administrator for access.',
      )
    return sendConsolePage(web, c, { current: '/console' }, newEventPage({ csrf: getCsrfToken(web, c), clients, form, formErrors }))
  }

  return createConsoleRouter(web)
    .get(PATH, (c) => page(c, { client: c.req.query('client') ?? '' }, null))
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const session = c.get('session')
      const client = getClientOfUser(session, form['client'])
      requireClientPermission(client, 'clients.write')
      const read = validateFormFields(Fields, toEventInput(form), labelOf)
      if ('errors' in read) return page(c, form, read)
      const { venue, ...request } = read.data
      const hasVenue = Object.values(venue).some((part) => part !== undefined)
      let created = ''
      const formErrors = await catchFormErrors(async () => {
        const { event } = await runClientChange(web, session, { client, action: 'create_event' }, (ctx) =>
          createEvent(ctx, { ...request, ...(hasVenue ? { venue } : {}) }),
        )
        created = event.code
      }, labelOf)
      if (formErrors) return page(c, form, formErrors)
      return c.redirect(`/console/events/${client.code}/${created}?done=created`, 303)
    })
}
