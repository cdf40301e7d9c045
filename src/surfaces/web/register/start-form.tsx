import { findFirstUnfinishedPage, type RegistrationProgress } from '../../../domains/checkout/progress.ts'
import { getPublicFlow } from '../../../domains/checkout/start-registration.ts'
import type { Flow } from '../../../domains/configuration/schema/event-config.ts'
import { type CompanyInvitation, INVITATION_QUERY_PARAMETER } from '../../../domains/exhibitors/staff/invitations.ts'
import { listFlowAvailability } from '../../../domains/registration/flows/flow-openings.ts'
import { translateFieldError } from './messages.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { findFieldError, Form, Input, LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { NarrowPage, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { createPublicEventContext, type EventSite } from '../event/event-site.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { toPagePathSegment } from './view.ts'

export interface StartFormState {
  email: string
  code: string
  /** The token of a company's invitation, as the visitor's link contains it. */
  company: string
  /** The invitation of the token; null if the token is unknown or has expired. */
  invitation: CompanyInvitation | null
  errors?: readonly FieldError[]
  message?: string
  /** The unfinished registration of this browser. */
  begun: RegistrationProgress | null
}

/** Shows the form that asks for the email address, or the reason why the flow is not open. */
export async function showStartForm(web: WebServices, c: WebContext, site: EventSite, state: StartFormState) {
  const flow = getPublicFlow(site, c.req.param('flow') ?? '')
  const [asked] = await listFlowAvailability(createPublicEventContext(web, site), { flows: [flow] }, site.facts.now)
  const opening = asked?.state ?? 'closed'
  const { say } = site.words
  if (opening === 'notYet' || opening === 'closed' || opening === 'full') {
    return showEventPage(
      web,
      c,
      site,
      { title: flow.name },
      <NarrowPage title={say('register.closed')}>
        <p>{explainClosed(site, flow, opening)}</p>
        <LinkButton href={site.paths.home}>{say('register.toEvent')}</LinkButton>
      </NarrowPage>,
    )
  }
  const campaign = Object.entries(c.req.query()).filter(([name]) => name.startsWith('utm_'))
  const errors = (state.errors ?? []).map((error) => ({
    ...error,
    message: translateFieldError({ words: site.words, config: site.config, missing: [] }, error),
  }))
  const formErrors = toFormErrors(site, errors, state.message)
  return showEventPage(
    web,
    c,
    site,
    { title: flow.name, status: formErrors ? 400 : 200 },
    <NarrowPage title={flow.name} formErrors={formErrors}>
      {state.begun ? (
        <Notice>
          <p>{say('register.begun')}</p>
          <LinkButton href={findNextPagePath(site, state.begun)} tone="primary">
            {say('register.continueButton')}
          </LinkButton>
        </Notice>
      ) : null}
      {opening === 'waitlist' ? <Notice tone="warning">{say('register.fullWaitlist')}</Notice> : null}
      {state.company === '' ? null : state.invitation ? (
        <Notice>{say('register.forCompany', { company: state.invitation.company.name })}</Notice>
      ) : (
        <Notice tone="warning">{say('register.companyInviteEnded')}</Notice>
      )}
      {flow.inviteOnly && !state.invitation ? <p class="muted">{say('register.byInvitation')}</p> : null}
      <p class="muted">{say('register.startText')}</p>
      <StartForm site={site} flow={flow} state={{ ...state, errors }} campaign={campaign} csrf={getCsrfToken(web, c)} />
      <p class="small muted">
        {say('event.alreadyRegistered')} <a href={site.paths.myRegistration}>{say('event.openRegistration')}</a>
      </p>
    </NarrowPage>,
  )
}

function explainClosed({ words, facts }: EventSite, flow: Flow, opening: 'notYet' | 'closed' | 'full'): string {
  if (opening === 'full') return words.say('register.full')
  if (opening === 'closed') return words.say('event.closed')
  return words.say('event.opensOn', { moment: formatInstantWithTimeZone(words.locale, new Date(flow.opensAt!), facts.timezone) })
}

/** Returns the page where the participant continues: the first unfinished one, or the summary. */
export function findNextPagePath(site: EventSite, progress: RegistrationProgress): string {
  const next = findFirstUnfinishedPage(progress)
  return `${site.paths.register(progress.flow.slug)}/${next === null ? 'summary' : toPagePathSegment(next)}`
}

interface StartFormProps {
  site: EventSite
  flow: Flow
  state: StartFormState
  /** `utm_*` parameters of the link, sent along with the form. */
  campaign: readonly [name: string, value: string][]
  csrf: string
}

function StartForm({ site, flow, state: { email, code, company, invitation, errors }, campaign, csrf }: StartFormProps) {
  const { say } = site.words
  return (
    <Form action={site.paths.register(flow.slug)} csrf={csrf} class="stack">
      {campaign.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {invitation ? <input type="hidden" name={INVITATION_QUERY_PARAMETER} value={company} /> : null}
      <Input
        name="email"
        type="email"
        inputmode="email"
        label={say('register.email')}
        help={say('register.emailHelp')}
        value={email}
        error={findFieldError(errors, 'email')}
        autocomplete="email"
      />
      {flow.inviteOnly && !invitation ? (
        <Input
          name="code"
          label={say('register.code')}
          optional={say('field.optional')}
          help={say('register.codeHelp')}
          value={code}
          error={findFieldError(errors, 'code')}
          autocomplete="off"
        />
      ) : null}
      <button type="submit" class="button primary large wide">
        {say('register.begin')}
      </button>
    </Form>
  )
}
