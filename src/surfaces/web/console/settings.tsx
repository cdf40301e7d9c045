import { getSettings, type Settings, updateSettings } from '../../../domains/tenancy/clients.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import type { Total } from '../../../kernel/totals.ts'
import { countryInWords } from '../components/codes.tsx'
import { Swatch } from '../components/colour.tsx'
import { Button, ErrorSummary, Form } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, Facts, Notice } from '../components/parts.tsx'
import { attempt, type Refused } from '../fields.ts'
import { totalText } from '../totals.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { askFirst, isSure } from './ask-first.tsx'
import { atClient, type AtClient, changingAt } from './at-client.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'
import { changeLogo, LogoCard, logoLink } from './logo.tsx'
import { SettingsForm } from './settings-form.tsx'
import { closeUp, labelOf, readSettings, valuesOf } from './settings-values.ts'

const AssistantsCard = ({ at, settings, csrf }: { at: AtClient; settings: Settings; csrf: string }) => {
  const on = settings.aiAssistantsAllowed
  return (
    <Card title="Allow AI assistants for this client" actions={<Badge tone={on ? 'success' : 'warning'}>{on ? 'On' : 'Off'}</Badge>}>
      <div class="row-between">
        <p class="prose">
          {on
            ? `Organizers' connected assistants can read and change what their role allows at ${settings.name}. Turning this off works from the next request of every organizer; this console keeps working.`
            : `No assistant sees ${settings.name} or its events, whoever connected it. Turning this on works from the next request.`}
        </p>
        {at.mayChange ? (
          <Form action={`${at.base}/settings/assistants`} csrf={csrf}>
            <Button tone={on ? 'danger' : 'primary'} name="allow" value={on ? 'no' : 'yes'}>
              {on ? 'Turn off AI assistants' : 'Turn on AI assistants'}
            </Button>
          </Form>
        ) : null}
      </div>
    </Card>
  )
}

const ActiveCard = ({ at, settings, csrf, events }: { at: AtClient; settings: Settings; csrf: string; events: Total }) => {
  const hides = totalText(events, 'event')
  return (
    <Card title={settings.active ? 'Make this client inactive' : 'This client is inactive'}>
      <div class="row-between">
        <p class="prose">
          {settings.active
            ? `Hides ${hides} from organizers and assistants, and their public pages answer 404. Nothing is deleted, and it can be undone here.`
            : `Its ${hides} are hidden and their public pages answer 404. Nothing was deleted.`}
        </p>
        <Form action={`${at.base}/settings/active`} csrf={csrf}>
          <Button tone={settings.active ? 'danger' : 'primary'} name="active" value={settings.active ? 'no' : 'yes'}>
            {settings.active ? `Make ${settings.name} inactive` : `Make ${settings.name} active again`}
          </Button>
        </Form>
      </div>
    </Card>
  )
}

const colour = (value: string | undefined) =>
  value ? (
    <span class="row">
      {value} <Swatch color={value} />
    </span>
  ) : (
    'not set'
  )

/** For those who may look and not change. */
const SettingsFacts = ({ settings }: { settings: Settings }) => (
  <>
    <Notice>You can see these settings. Changing them needs the clients.admin permission.</Notice>
    <Card title="Settings">
      <Facts
        rows={[
          ['Name', settings.name],
          ['Code', <code>{settings.code}</code>],
          ['State', settings.active ? 'active' : 'inactive'],
          ['Established in', settings.establishedIn ? countryInWords(settings.establishedIn) : 'not set'],
          ['Currency of new events', settings.defaultCurrency],
          ['Time zone of new events', settings.defaultTimezone],
          ['Main colour', colour(settings.brand.color)],
          ['Accent colour', colour(settings.brand.accent)],
          ['Website', settings.brand.website ?? 'not set'],
          ['Legal name', settings.billing.legalName ?? 'not set'],
          ['Payment terms', `${settings.paymentTermsDays} days`],
          ['Tax registrations', settings.taxRegistrations.map((r) => `${r.country} ${r.number}`).join(', ') || 'none'],
          ['Preview above', `${settings.confirmThresholds.recipients} recipients, ${settings.confirmThresholds.deletes} deleted records`],
          ['Embedding', settings.embedHosts.join(', ') || 'nowhere'],
        ]}
      />
    </Card>
  </>
)

/** `/console/clients/:code/settings`: what one client is, and whether assistants may work for it. */
export function settingsPages(web: Web) {
  const path = '/console/clients/:code/settings'

  async function page(c: WebContext, at: AtClient, typed: FormValues | null = null, refused: Refused = {}, logoError?: string) {
    const settings = await getSettings(at.reading)
    const logo = await logoLink(at, settings)
    const events = await listEvents(at.reading, { limit: 1 })
    const csrf = csrfFor(web, c)
    // A refused form goes out with the revision of now: whoever saves it again has been told what changed meanwhile.
    const form = typed ? { ...typed, revision: String(settings.revision) } : valuesOf(settings)
    return frame(
      web,
      c,
      { title: 'Settings', current: `${at.base}/settings`, client: at.client, status: typed || logoError ? 400 : 200 },
      <>
        <Heading
          title="Settings"
          text={
            <>
              {settings.name} · <code>{settings.code}</code>
            </>
          }
        />
        <ErrorSummary
          {...refused}
          errors={refused.errors?.map((e) => (e.path.startsWith('embedHosts') ? { ...e, path: 'embedHosts' } : e))}
        />
        <AssistantsCard at={at} settings={settings} csrf={csrf} />
        {at.mayChange ? (
          <>
            <SettingsForm action={`${at.base}/settings`} csrf={csrf} form={form} refused={refused} />
            <LogoCard at={at} csrf={csrf} link={logo} error={logoError} />
            <ActiveCard at={at} settings={settings} csrf={csrf} events={events} />
          </>
        ) : (
          <SettingsFacts settings={settings} />
        )}
      </>,
    )
  }

  return consolePages(web)
    .get(path, (c) => page(c, atClient(web, c)))
    .post(path, async (c) => {
      const form = closeUp(await formOf(web, c))
      const at = changingAt(web, c)
      const read = readSettings(form)
      if ('errors' in read) return page(c, at, form, read)
      const { establishedIn, ...edit } = read.data
      const refused = await attempt(
        () =>
          changeAt(web, at.session, { client: at.client, action: 'update_client' }, (ctx) =>
            updateSettings(ctx, {
              ...edit,
              establishedIn: establishedIn ?? null,
              // The form holds all of both, so what it does not say is to go.
              clear: ['brand', 'billing'],
              ifRevision: Number(form['revision']) || undefined,
            }),
          ),
        labelOf,
      )
      if (refused) return page(c, at, form, inWords(refused))
      return c.redirect(`${at.base}/settings?done=saved`, 303)
    })
    .post(`${path}/logo`, async (c) => {
      const at = changingAt(web, c)
      const wrong = await changeLogo(web, c, at, await getSettings(at.reading))
      return wrong ? page(c, at, null, {}, wrong) : c.redirect(`${at.base}/settings?done=saved`, 303)
    })
    .post(`${path}/assistants`, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      if (form['allow'] !== 'yes' && !isSure(form)) {
        const text = `No assistant reaches the events of ${at.client.name} from its next call on, whoever connected it. The console stays as it is, and you can turn them on again here.`
        return askFirst(web, c, form, { title: 'Turn assistants off?', text, button: 'Turn them off', ...backTo(at) })
      }
      await changeAt(web, at.session, { client: at.client, action: 'update_client' }, (ctx) =>
        updateSettings(ctx, { aiAssistantsAllowed: form['allow'] === 'yes' }),
      )
      return c.redirect(`${at.base}/settings?done=saved`, 303)
    })
    .post(`${path}/active`, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      if (form['active'] !== 'yes' && !isSure(form)) {
        const text = `The events of ${at.client.name} are hidden from everybody until it is active again. Nothing is deleted.`
        return askFirst(web, c, form, { title: `Deactivate ${at.client.name}?`, text, button: 'Deactivate', ...backTo(at) })
      }
      await changeAt(web, at.session, { client: at.client, action: 'update_client' }, (ctx) =>
        updateSettings(ctx, { active: form['active'] === 'yes' }),
      )
      return c.redirect(`${at.base}/settings?done=saved`, 303)
    })
}

const backTo = ({ base, client }: AtClient) => ({ back: `${base}/settings`, current: `${base}/settings`, client })

/** The domain names rows and revisions as assistants know them; people count from one and have colleagues. */
function inWords({ message, reason, errors }: Refused): Refused {
  if (reason === 'movedOn')
    return {
      message:
        'Somebody else saved these settings while you were editing. Your input is kept here: check it, and save again to put it over theirs.',
    }
  const worded = errors?.map((e) => ({
    ...e,
    message: e.message.replaceAll(/taxRegistrations\/(\d+)/g, (_, i) => `registration ${Number(i) + 1}`),
  }))
  return { ...(message ? { message } : {}), ...(worded ? { errors: worded } : {}) }
}
