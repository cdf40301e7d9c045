import { getClientSettings, type ClientSettings, updateClientSettings } from '../../../domains/tenancy/clients.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import type { CappedTotal } from '../../../kernel/totals.ts'
import { formatCountryWithCode } from '../components/codes.tsx'
import { Swatch } from '../components/colour.tsx'
import { ActionCard } from '../components/form-page.tsx'
import { renderContentPage } from '../components/page.tsx'
import { StatusLabel, Card, DescriptionList, Notice } from '../components/parts.tsx'
import { catchFormErrors, type FormErrors } from '../fields.ts'
import { formatTotalWithNoun } from '../totals.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { sendConfirmPage, isConfirmed } from './confirm-page.tsx'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange } from './client-page.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'
import { changeLogo, LogoCard, createLogoLink } from './logo.tsx'
import { SETTINGS_FORM_SECTIONS, SettingsForm } from './settings-form.tsx'
import { saveSourcingSettings, SourcingSettingsCards } from './sourcing/settings.tsx'
import { renumberTaxRows, getSettingsFieldLabel, readSettingsForm, toSettingsFormValues } from './settings-values.ts'

const AssistantsCard = ({ at, settings, csrf }: { at: ClientPageContext; settings: ClientSettings; csrf: string }) => {
  const on = settings.aiAssistantsAllowed
  return (
    <ActionCard
      title="Allow AI assistants for this client"
      badge={<StatusLabel tone={on ? 'success' : 'warning'}>{on ? 'On' : 'Off'}</StatusLabel>}
      text={
        on
          ? `Assistants can view and change what their user’s role allows at ${settings.name}. If you turn this off, all assistants lose access immediately. The console keeps working.`
          : `Assistants have no access to ${settings.name} and its events. If you turn this on, they get access immediately.`
      }
      allowed={at.mayChange}
      action={`${at.base}/settings/assistants`}
      csrf={csrf}
      submit={on ? 'Turn off AI assistants' : 'Turn on AI assistants'}
      submitAs={{ name: 'allow', value: on ? 'no' : 'yes' }}
      tone={on ? 'danger' : 'primary'}
    />
  )
}

const ActiveCard = ({
  at,
  settings,
  csrf,
  events,
}: {
  at: ClientPageContext
  settings: ClientSettings
  csrf: string
  events: CappedTotal
}) => {
  const { active, name } = settings
  const hides = formatTotalWithNoun(events, 'event')
  return (
    <ActionCard
      title={active ? 'Deactivate this client' : 'This client is inactive'}
      text={
        active
          ? `Hides ${hides} from organizers and assistants, and takes their public pages offline. Nothing is deleted, and you can undo this.`
          : `Organizers and assistants cannot see ${hides}, and their public pages are offline. Nothing was deleted.`
      }
      action={`${at.base}/settings/active`}
      csrf={csrf}
      submit={active ? `Deactivate ${name}` : `Activate ${name}`}
      submitAs={{ name: 'active', value: active ? 'no' : 'yes' }}
      tone={active ? 'danger' : 'primary'}
    />
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

/** The settings as text, for users without permission to change them. */
const SettingsFacts = ({ settings }: { settings: ClientSettings }) => (
  <>
    <Notice>You can view these settings. Only administrators can change them.</Notice>
    <Card title="Settings">
      <DescriptionList
        rows={[
          ['Name', settings.name],
          ['Code', <code>{settings.code}</code>],
          ['Status', settings.active ? 'active' : 'inactive'],
          ['Established in', settings.establishedIn ? formatCountryWithCode(settings.establishedIn) : 'not set'],
          ['Currency of new events', settings.defaultCurrency],
          ['Time zone of new events', settings.defaultTimezone],
          ['Main colour', colour(settings.brand.color)],
          ['Accent colour', colour(settings.brand.accent)],
          ['Website', settings.brand.website ?? 'not set'],
          ['Legal name', settings.billing.legalName ?? 'not set'],
          ['Payment terms', `${settings.paymentTermsDays} days`],
          ['Tax registrations', settings.taxRegistrations.map((r) => `${r.country} ${r.number}`).join(', ') || 'none'],
          ['Report recipients', settings.reportRecipients.join(', ') || 'none'],
          ['Exports of whole events', settings.exportAllowed ? 'allowed' : 'not allowed'],
          ['Confirm above', `${settings.confirmThresholds.recipients} recipients, ${settings.confirmThresholds.deletes} deleted records`],
          ['Embedding', settings.embedHosts.join(', ') || 'none'],
        ]}
      />
    </Card>
  </>
)

/** Links to the parts of the settings page, because it is long. On phones the links are collapsed. */
const PartLinks = () => (
  <nav class="row sections" aria-label="Parts of the settings">
    <details class="narrow-fold">
      <summary>Go to</summary>
      <div class="folded-row">
        {Object.entries({ ...SETTINGS_FORM_SECTIONS, logo: 'Logo', sourcing: 'Sourcing', playbook: 'Negotiation playbook' }).map(
          ([part, title]) => (
            <a class="button small" href={`#${part}`}>
              {title}
            </a>
          ),
        )}
      </div>
    </details>
  </nav>
)

/** `/console/clients/:code/settings`: the settings of one client, including whether assistants are allowed. */
export function settingsPages(web: WebServices) {
  const path = '/console/clients/:code/settings'

  async function page(
    c: WebContext,
    at: ClientPageContext,
    typed: FormValues | null = null,
    formErrors: FormErrors | null = null,
    { logoError, sourcing }: { logoError?: string; sourcing?: { typed: FormValues; formErrors: FormErrors } } = {},
  ) {
    const settings = await getClientSettings(at.reading)
    const logo = await createLogoLink(at, settings)
    const events = await listEvents(at.reading, { limit: 1 })
    const csrf = getCsrfToken(web, c)
    // After an error the form gets the current revision number, because the error message has already reported the conflict.
    const form = typed ? { ...typed, revision: String(settings.revision) } : toSettingsFormValues(settings)
    const errors = formErrors?.errors?.map((e) => {
      const list = ['embedHosts', 'reportRecipients'].find((name) => e.path.startsWith(name))
      return list ? { ...e, path: list } : e
    })
    const heading = (
      <>
        {settings.name} · <code>{settings.code}</code>
      </>
    )
    const shown = renderContentPage(
      {
        title: 'Settings',
        text: heading,
        formErrors: sourcing?.formErrors ?? (formErrors && { ...formErrors, ...(errors ? { errors } : {}) }),
      },
      <>
        <AssistantsCard at={at} settings={settings} csrf={csrf} />
        {at.mayChange ? (
          <>
            <PartLinks />
            <SettingsForm action={`${at.base}/settings`} csrf={csrf} form={form} formErrors={formErrors ?? {}} />
            <LogoCard at={at} csrf={csrf} link={logo} error={logoError} />
            <SourcingSettingsCards
              at={at}
              settings={settings}
              csrf={csrf}
              typed={sourcing?.typed ?? null}
              formErrors={sourcing?.formErrors ?? null}
            />
            <ActiveCard at={at} settings={settings} csrf={csrf} events={events} />
          </>
        ) : (
          <SettingsFacts settings={settings} />
        )}
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'settings'), logoError ? { ...shown, status: 400 } : shown)
  }

  return createConsoleRouter(web)
    .get(path, (c) => page(c, getClientPageContext(web, c)))
    .post(path, async (c) => {
      const form = renumberTaxRows(await requireConsoleForm(web, c))
      const at = getClientPageContextForChange(web, c)
      const read = readSettingsForm(form)
      if ('errors' in read) return page(c, at, form, read)
      const { establishedIn, ...edit } = read.data
      const formErrors = await catchFormErrors(
        () =>
          runClientChange(web, at.session, { client: at.client, action: 'update_client' }, (ctx) =>
            updateClientSettings(ctx, {
              ...edit,
              establishedIn: establishedIn ?? null,
              // The form contains all fields of brand and billing, so fields left empty are cleared.
              clear: ['brand', 'billing'],
              ifRevision: Number(form['revision']) || undefined,
            }),
          ),
        getSettingsFieldLabel,
      )
      if (formErrors) return page(c, at, form, toConsoleErrors(formErrors))
      return c.redirect(`${at.base}/settings?done=saved`, 303)
    })
    .post(`${path}/logo`, async (c) => {
      const at = getClientPageContextForChange(web, c)
      const wrong = await changeLogo(web, c, at, await getClientSettings(at.reading))
      return wrong ? page(c, at, null, null, { logoError: wrong }) : c.redirect(`${at.base}/settings?done=saved`, 303)
    })
    .post(`${path}/sourcing`, async (c) => {
      const typed = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const formErrors = await saveSourcingSettings(web, at, typed)
      return formErrors ? page(c, at, null, null, { sourcing: { typed, formErrors } }) : c.redirect(`${at.base}/settings?done=saved`, 303)
    })
    .post(`${path}/assistants`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      if (form['allow'] !== 'yes' && !isConfirmed(form)) {
        const text = `All assistants lose access to the events of ${at.client.name} immediately. The console keeps working, and you can turn assistants on again.`
        return sendConfirmPage(web, c, form, { title: 'Turn off assistants?', text, button: 'Turn off assistants', ...backTo(at) })
      }
      await runClientChange(web, at.session, { client: at.client, action: 'update_client' }, (ctx) =>
        updateClientSettings(ctx, { aiAssistantsAllowed: form['allow'] === 'yes' }),
      )
      return c.redirect(`${at.base}/settings?done=saved`, 303)
    })
    .post(`${path}/active`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      if (form['active'] !== 'yes' && !isConfirmed(form)) {
        const text = `The events of ${at.client.name} are hidden until you activate it again. Nothing is deleted.`
        return sendConfirmPage(web, c, form, { title: `Deactivate ${at.client.name}?`, text, button: 'Deactivate', ...backTo(at) })
      }
      await runClientChange(web, at.session, { client: at.client, action: 'update_client' }, (ctx) =>
        updateClientSettings(ctx, { active: form['active'] === 'yes' }),
      )
      return c.redirect(`${at.base}/settings?done=saved`, 303)
    })
}

const backTo = (at: ClientPageContext) => ({ ...getNavigationPosition(at, 'settings'), back: `${at.base}/settings` })

/** Rewords errors for console users: the error about a revision conflict, and paths of tax registration rows, which count from zero. */
function toConsoleErrors({ message, reason, errors }: FormErrors): FormErrors {
  if (reason === 'movedOn')
    return {
      message: 'Another user saved these settings while you were editing. Check your version below, then save again to replace theirs.',
    }
  const reworded = errors?.map((e) => ({
    ...e,
    message: e.message.replaceAll(/taxRegistrations\/(\d+)/g, (_, i) => `registration ${Number(i) + 1}`),
  }))
  return { ...(message ? { message } : {}), ...(reworded ? { errors: reworded } : {}) }
}
