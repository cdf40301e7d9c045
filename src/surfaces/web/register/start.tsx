import { takeFromBucket } from '../../../domains/access/rate-windows.ts'
import { startRegistration, getPublicFlow } from '../../../domains/checkout/start-registration.ts'
import { findFirstUnfinishedPage, type Progress } from '../../../domains/checkout/progress.ts'
import { beginVisit } from '../../../domains/checkout/visit.ts'
import { sendInviteCode } from '../../../domains/codes/web-codes.ts'
import { lookUpByEmail } from '../../../domains/registration/flow-directories.ts'
import { readPublicOffer } from '../../../domains/registration/flow-openings.ts'
import { readRegistrationToken } from '../../../domains/registration/registration-token.ts'
import { formatMoment } from '../../../kernel/language/format.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { clientAddress } from '../../http/client-address.ts'
import { ErrorSummary, findFieldError, Form, Input, LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { newEventRouter, NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { startRegistrationSession, findPersonSession } from '../event/person.ts'
import { EVENT_PATH, changeAtEvent, eventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { csrfFor, isOwnForm, readAnyForm, type Web, type WebContext } from '../web.ts'
import { findOwnProgress } from './current-registration.ts'
import { directoryContext, deviceOf, openRegistration } from './open-registration.ts'
import { pageSegment } from './view.ts'

const START = `${EVENT_PATH}/register/:flow`

interface StartFormState {
  email: string
  code: string
  errors?: readonly FieldError[]
  message?: string
  /** The unfinished registration of this browser. */
  begun: Progress | null
}

/** Campaign parameters (`utm_*`) of the link. */
const readCampaign = (given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      /^utm_[a-z]{1,20}$/.test(name) && value ? [[name.slice(4), value.slice(0, 100)]] : [],
    ),
  )

/** Each start writes a row and may send an email. The limit allows for a hall full of people behind one address, but not for scripts. */
const START_RATE_LIMIT = { perMinute: 60, burst: 300 }

export function startPages(web: Web) {
  const show = async (c: WebContext, site: EventSite, start: StartFormState) => {
    const { say, locale } = site.words
    const flow = getPublicFlow(site, c.req.param('flow') ?? '')
    const { flows } = await readPublicOffer(
      eventContext(web, site),
      { ...site.config, flows: [{ ...flow, visibleForTags: null }] },
      site.facts.now,
    )
    const state = flows[0]?.state ?? 'closed'
    const base = site.paths.register(flow.slug)
    const title = flow.name
    if (state === 'notYet' || state === 'closed' || state === 'full') {
      const why =
        state === 'notYet'
          ? say('event.opensOn', { moment: formatMoment(locale, new Date(flow.opensAt!), site.facts.timezone) })
          : state === 'full'
            ? say('register.full')
            : say('event.closed')
      return showEventPage(
        web,
        c,
        site,
        { title },
        <NarrowPage title={say('register.closed')}>
          <p>{why}</p>
          <LinkButton href={site.paths.home}>{say('register.toEvent')}</LinkButton>
        </NarrowPage>,
      )
    }
    const { errors = [], message } = start
    const csrf = csrfFor(web, c)
    const next = start.begun ? findFirstUnfinishedPage(start.begun) : null
    const shownErrors = errors.map((error) => ({
      ...error,
      message: say(error.path === 'email' ? 'error.email' : error.message === 'inviteUsed' ? 'error.inviteUsed' : 'error.code'),
    }))
    const utm = Object.entries(c.req.query()).filter(([name]) => name.startsWith('utm_'))
    return showEventPage(
      web,
      c,
      site,
      { title, status: errors.length > 0 || message ? 400 : 200 },
      <NarrowPage title={title}>
        {start.begun ? (
          <Notice>
            <p>{say('register.begun')}</p>
            <LinkButton href={`${base}/${next === null ? 'summary' : pageSegment(next)}`} tone="primary">
              {say('register.continueButton')}
            </LinkButton>
          </Notice>
        ) : null}
        {state === 'waitlist' ? <Notice tone="warning">{say('register.fullWaitlist')}</Notice> : null}
        {flow.inviteOnly ? <p class="muted">{say('register.byInvitation')}</p> : null}
        <ErrorSummary errors={shownErrors} message={message ?? (shownErrors.length > 0 ? say('error.summary') : undefined)} />
        <Form action={base} csrf={csrf} class="stack">
          {utm.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <Input
            name="email"
            type="email"
            inputmode="email"
            label={say('register.email')}
            help={say('register.emailHelp')}
            value={start.email}
            error={findFieldError(shownErrors, 'email')}
            autocomplete="email"
          />
          {flow.inviteOnly ? (
            <Input
              name="code"
              label={say('register.code')}
              optional={say('field.optional')}
              help={say('register.codeHelp')}
              value={start.code}
              error={findFieldError(shownErrors, 'code')}
              autocomplete="off"
            />
          ) : null}
          <button type="submit" class="button primary large wide">
            {say('register.begin')}
          </button>
        </Form>
        <p class="small muted">
          {say('event.alreadyRegistered')} <a href={site.paths.myRegistration}>{say('event.openRegistration')}</a>
        </p>
      </NarrowPage>,
    )
  }

  /** Exchanges the token of a link for a session and redirects, so that the token leaves the address bar. */
  const exchangeToken = async (c: WebContext, site: EventSite, token: string) => {
    const flowSlug = c.req.param('flow') ?? ''
    const base = site.paths.register(flowSlug)
    const ctx = eventContext(web, site)
    const read = await readRegistrationToken(ctx, token, { audience: 'registration', eventId: site.event.id, flowSlug })
    c.header('referrer-policy', 'no-referrer')
    c.header('cache-control', 'no-store')
    if (read.state === 'expired') return expired(c, site, base)
    if (read.state === 'invalid') return c.redirect(base, 303)
    const progress = await findOwnProgress(ctx, read.participantId)
    if (!progress || progress.row.email === null || progress.row.status !== 'incomplete') return c.redirect(site.paths.signIn, 303)
    await openRegistration(web, c, site, progress)
    return c.redirect(base, 303)
  }

  /** With an invitation-only flow, the directory is queried only after the participant has proved access to the mailbox. */
  const lookUpAtStart = (site: EventSite, flowSlug: string, email: string, code: string) => {
    const { directory, inviteOnly } = getPublicFlow(site, flowSlug)
    return directory === null || (inviteOnly && code === '')
      ? null
      : lookUpByEmail(directoryContext(web, site), site, directory, email.trim())
  }

  const expired = (c: WebContext, site: EventSite, base: string) => {
    const { say } = site.words
    return showEventPage(
      web,
      c,
      site,
      { title: say('register.expired.title'), status: 410, referrer: 'no-referrer' },
      <NarrowPage title={say('register.expired.title')}>
        <p>{say('register.expired.text')}</p>
        <Form action={site.paths.signIn} csrf={csrfFor(web, c)} class="stack">
          <input type="hidden" name="next" value={base} />
          <Input name="email" type="email" inputmode="email" label={say('register.email')} autocomplete="email" />
          <button type="submit" class="button primary large wide">
            {say('register.expired.button')}
          </button>
        </Form>
      </NarrowPage>,
    )
  }

  const findUnfinished = async (c: WebContext, site: EventSite): Promise<Progress | null> => {
    const person = await findPersonSession(web, c, site)
    const progress = person?.participantId ? await findOwnProgress(eventContext(web, site), person.participantId) : null
    return progress?.row.status === 'incomplete' && progress.flow.slug === c.req.param('flow') ? progress : null
  }

  const get = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    if (site.event.status === 'archived') return c.redirect(site.paths.home, 303)
    const token = c.req.query('token')
    if (token !== undefined) return exchangeToken(c, site, token)
    const begun = await findUnfinished(c, site)
    // Visitors with an unfinished registration continue where they stopped.
    if (begun && c.req.query('anew') === undefined) {
      const next = findFirstUnfinishedPage(begun)
      return c.redirect(`${site.paths.register(begun.flow.slug)}/${next === null ? 'summary' : pageSegment(next)}`, 303)
    }
    return show(c, site, { email: c.req.query('email') ?? '', code: c.req.query('code') ?? '', begun })
  }

  const post = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const sent = await readAnyForm(c)
    const { email = '', code = '' } = sent ?? {}
    if (!sent || !isOwnForm(web, c, sent)) return show(c, site, { email, code, begun: null, message: site.words.say('error.expired') })
    const from = clientAddress(c.env.incoming, web.trustedProxies)
    if (!(await takeFromBucket(web.services.database.pool, `register:${from}`, START_RATE_LIMIT)))
      return show(c, site, { email, code, begun: null, message: site.words.say('register.tooMany') })
    const flowSlug = c.req.param('flow') ?? ''
    const looked = await lookUpAtStart(site, flowSlug, email, code)
    if (looked?.followed === 'block') return show(c, site, { email, code, begun: null, message: site.words.say('register.lookupErrorBlocks') })
    const visit = { device: deviceOf(c), utm: readCampaign(sent) } as const
    const begun = await changeAtEvent(web, site, { action: 'begin registration' }, async (ctx) => {
      const result = await startRegistration(ctx, { flowSlug, email, code, locale: site.words.locale, looked })
      if (result.kind === 'begun') await beginVisit(ctx, result.participantId, visit)
      if (result.kind === 'asksCode' && result.codeTo !== null)
        await sendInviteCode(ctx, { email: result.codeTo, flow: result.flow, locale: site.words.locale })
      return result
    })
    if (begun.kind === 'refused') return show(c, site, { email, code, begun: null, errors: begun.errors })
    if (begun.kind === 'asksCode')
      return c.redirect(`${site.paths.register(flowSlug)}/invited?${new URLSearchParams({ email: email.trim() }).toString()}`, 303)
    await startRegistrationSession(web, c, site, begun)
    return c.redirect(site.paths.register(flowSlug), 303)
  }

  return newEventRouter(web).get(START, get).post(START, post)
}
