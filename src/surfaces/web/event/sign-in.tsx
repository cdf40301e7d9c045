import type { Child } from 'hono/jsx'
import { email as emailArgument } from '../../../kernel/args.ts'
import { isSameEmail } from '../../../kernel/email-address.ts'
import { maskEmail } from '../../../kernel/mask-email.ts'
import {
  findEmailOfSignInLink,
  mayRequestCodeFromIp,
  sendWebSignInCode,
  consumeSignInLink,
  verifyWebSignInCode,
  type WebOneTimeCodePurpose,
} from '../../../domains/codes/web-codes.ts'
import { holdCapacityIfEmailVerified } from '../../../domains/checkout/hold.ts'
import { acceptInviteFromInviteList } from '../../../domains/checkout/invite-choice.ts'
import { cancelUnverifiedDuplicates } from '../../../domains/checkout/unverified-duplicates.ts'
import { endPersonSession } from '../../../domains/codes/person-sessions.ts'
import type { PersonSessionKind } from '../../../domains/codes/tables.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { getClientIpBlock } from '../../http/client-address.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { Button, Form, Input, LinkButton } from '../components/forms.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import {
  getCsrfToken,
  type FormValues,
  isSameOriginForm,
  hasCookies,
  readFormWithoutCsrfCheck,
  type WebServices,
  type WebContext,
} from '../web.ts'
import { createEventRouter, NarrowPage, showEventPage } from './event-layout.tsx'
import { toSignedInVisitorActor, clearPersonSessionCookie, findPersonSignInSession, setPersonSessionCookie } from './person.ts'
import { PUBLIC_EVENT_PATH, runChangeFromEventPage, createPublicEventContext, type EventSite, findEventSite } from './event-site.ts'

/** A group of event pages that visitors sign in to with a code sent by email. */
export interface SignInArea {
  /** The route prefix of the pages. The sign-in pages are below it. */
  route: string
  purpose: WebOneTimeCodePurpose
  kind: PersonSessionKind
  /** The first page after signing in. */
  home: (c: WebContext, site: EventSite) => string
  text: 'signIn.text' | 'signIn.groupText' | 'signIn.exhibitorText' | 'blockRequest.signIn'
  /** A link for visitors who should sign in elsewhere. */
  aside?: (c: WebContext, site: EventSite) => Child
  /**
   * Called in the transaction that creates the sign-in session, with the verified email address and the registration that this browser had
   * started before.
   */
  opened?: (ctx: RegistrationContext, email: string, startedId: string | null) => Promise<void>
}

const OWN_REGISTRATION_AREA: SignInArea = {
  route: `${PUBLIC_EVENT_PATH}/registration`,
  purpose: 'web',
  kind: 'person',
  home: (_c, { paths }) => paths.myRegistration,
  text: 'signIn.text',
  opened: async (ctx, email, startedId) => {
    if (startedId !== null) {
      await holdCapacityIfEmailVerified(ctx, startedId)
      await acceptInviteFromInviteList(ctx, startedId)
    }
    await cancelUnverifiedDuplicates(ctx, email)
  },
}

/** Returns the path to open after sign-in. Only paths of this event are accepted, because an open redirect would help phishing. */
const safeNextPath = (site: EventSite, next: string | undefined, home: string): string =>
  next?.startsWith(`${site.paths.home}/`) && !/[\s\\\p{Cc}]|\/\.{1,2}(?:\/|$)/u.test(next) ? next : home

const withQuery = (path: string, values: Record<string, string>) => `${path}?${new URLSearchParams(values).toString()}`

interface View {
  site: EventSite
  door: SignInArea
  /** Base path of the sign-in pages. */
  path: string
  csrf: string
  next: string
  email: string
  message?: string | undefined
  aside?: Child
}

/** Builds the error of a sign-in form, which has only one field. */
export const buildSignInErrors = ({ words }: EventSite, path: 'email' | 'code', message: string | undefined) =>
  message === undefined ? null : { message: words.say('signIn.errorSummary'), errors: [{ path, message }] }

function EmailForm({ site, door, path, csrf, next, email, message, aside }: View) {
  const { say } = site.words
  return (
    <NarrowPage
      title={say('signIn.heading')}
      text={say(door.text, { event: site.config.details.name })}
      formErrors={buildSignInErrors(site, 'email', message)}
    >
      <SubmitForm action={path} csrf={csrf} hidden={{ next }} submit={say('signIn.send')} wide>
        <Input
          name="email"
          type="email"
          label={say('signIn.email')}
          value={email}
          error={message}
          autocomplete="email"
          required
          autofocus={!message}
        />
      </SubmitForm>
      {aside}
    </NarrowPage>
  )
}

/** Field for the six-digit code from an email. */
export const SignInCodeInput = ({ site, message }: { site: EventSite; message?: string | undefined }) => (
  <Input
    name="code"
    label={site.words.say('signIn.code')}
    error={message}
    autocomplete="one-time-code"
    inputmode="numeric"
    maxlength={20}
    class="code-input"
    required
    autofocus={!message}
  />
)

/** Buttons that send another code for the same values, or return to the form to enter another email address. */
export function NewCodeRequestForm({
  site,
  path,
  csrf,
  asked: hiddenFields,
}: Pick<View, 'site' | 'path' | 'csrf'> & { asked: Record<string, string> }) {
  const { say } = site.words
  return (
    <Form action={path} csrf={csrf} class="stack">
      {Object.entries(hiddenFields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <p class="small muted">
        {say('signIn.noMail')} <a href={withQuery(path, hiddenFields)}>{say('signIn.otherEmail')}</a>
      </p>
      <div>
        <Button small>{say('signIn.again')}</Button>
      </div>
    </Form>
  )
}

function CodeForm({ site, path, csrf, next, email, message }: View) {
  const { say } = site.words
  return (
    <NarrowPage
      title={say('signIn.codeHeading')}
      text={say('signIn.codeText', { email })}
      formErrors={buildSignInErrors(site, 'code', message)}
    >
      <SubmitForm action={`${path}/code`} csrf={csrf} hidden={{ next, email }} submit={say('signIn.enter')} wide>
        <SignInCodeInput site={site} message={message} />
      </SubmitForm>
      <NewCodeRequestForm site={site} path={path} csrf={csrf} asked={{ email, next }} />
    </NarrowPage>
  )
}

function LinkForm({ site, path, csrf, token, email }: Pick<View, 'site' | 'path' | 'csrf' | 'email'> & { token: string }) {
  const { say } = site.words
  return (
    <NarrowPage title={say('signIn.heading')}>
      <p>{say('signIn.linkText', { email: maskEmail(email), event: site.config.details.name })}</p>
      <SubmitForm action={`${path}/link`} csrf={csrf} hidden={{ token }} submit={say('signIn.enter')} wide />
    </NarrowPage>
  )
}

const OldLink = ({ site, path }: Pick<View, 'site' | 'path'>) => (
  <NarrowPage title={site.words.say('expired.heading')}>
    <p>{site.words.say('signIn.expiredLink')}</p>
    <div>
      <LinkButton href={path} tone="primary">
        {site.words.say('signIn.heading')}
      </LinkButton>
    </div>
  </NarrowPage>
)

/**
 * `…/registration/sign-in`: signs in by emailed code, or by the link in the same email. Responses never reveal whether an address is
 * registered.
 */
export const registrationSignInPages = (web: WebServices) => createSignInPages(web, OWN_REGISTRATION_AREA)

/** The sign-in pages of an area, such as the registration or a group. */
export function createSignInPages(web: WebServices, door: SignInArea) {
  const { database } = web.services
  const { purpose, kind } = door
  const SIGN_IN = `${door.route}/sign-in`

  type Handler = (c: WebContext, site: EventSite) => Promise<Response>
  const at =
    (handle: Handler) =>
    async (c: WebContext): Promise<Response> => {
      const site = await findEventSite(web, c)
      return site ? handle(c, site) : sendNotFoundPage(web, c)
    }

  const show = (c: WebContext, site: EventSite, status: 200 | 400 | 410 | 429, body: Child) =>
    showEventPage(web, c, site, { title: site.words.say('signIn.heading'), status, referrer: 'no-referrer' }, body)

  const pathOf = (c: WebContext, site: EventSite) => `${door.home(c, site)}/sign-in`
  const nextFor = (c: WebContext, site: EventSite, next: string | undefined) => safeNextPath(site, next, door.home(c, site))

  const view = (c: WebContext, site: EventSite, given: Record<string, string | undefined>, message?: string): View => ({
    site,
    door,
    path: pathOf(c, site),
    csrf: getCsrfToken(web, c),
    next: nextFor(c, site, given['next']),
    email: (given['email'] ?? '').trim(),
    message,
    aside: door.aside?.(c, site),
  })

  /**
   * Handles a submitted form. A form without a valid CSRF token redirects to the start of the sign-in. A browser without cookies gets an
   * error message.
   */
  const posted = (handle: (c: WebContext, site: EventSite, form: FormValues) => Promise<Response>) =>
    at(async (c, site) => {
      const form = await readFormWithoutCsrfCheck(c)
      if (form && !hasCookies(web, c)) {
        return show(c, site, 400, <EmailForm {...view(c, site, form, site.words.say('signIn.noCookies'))} />)
      }
      return form && isSameOriginForm(web, c, form) ? handle(c, site, form) : c.redirect(pathOf(c, site), 303)
    })

  const refuseEmail = (c: WebContext, site: EventSite, form: FormValues, status: 400 | 429, message: string) =>
    show(c, site, status, <EmailForm {...view(c, site, form, message)} />)

  const mailCode = posted(async (c, site, form) => {
    const { say, locale } = site.words
    const typed = emailArgument().safeParse(form['email'] ?? '')
    if (!typed.success) return refuseEmail(c, site, form, 400, say('signIn.badEmail'))
    const email = typed.data
    const address = getClientIpBlock(c.env.incoming, web.trustedProxies)
    const codeRequest = { purpose, email, locale, linkPath: `${pathOf(c, site)}/link` }
    const outcome = (await mayRequestCodeFromIp(database.pool, address))
      ? await runChangeFromEventPage(web, site, { action: 'request_sign_in_code', isAnonymousStep: true }, (ctx) =>
          sendWebSignInCode(ctx, codeRequest),
        )
      : 'wait'
    if (outcome === 'wait') return refuseEmail(c, site, form, 429, say('signIn.tooManyCodes'))
    return c.redirect(withQuery(`${pathOf(c, site)}/code`, { email, next: nextFor(c, site, form['next']) }), 303)
  })

  /**
   * Finds the registration that this browser started before its email address was verified. The address is compared with the one that the
   * visitor verifies.
   */
  const findStarted = async (c: WebContext, site: EventSite): Promise<string | null> => {
    const person = await findPersonSignInSession(web, c, site)
    return person && !person.verified ? person.participantId : null
  }

  const takeCode = posted(async (c, site, form) => {
    const { say } = site.words
    const { email } = view(c, site, form)
    const refuse = (message: string) => show(c, site, 400, <CodeForm {...view(c, site, form, message)} />)
    const code = (form['code'] ?? '').replaceAll(/\s/g, '')
    if (!/^\d{6}$/.test(code)) return refuse(say('signIn.sixDigits'))
    const startedId = await findStarted(c, site)
    const verdict = await runChangeFromEventPage(
      web,
      site,
      { action: 'sign_in', actor: toSignedInVisitorActor(site, email) },
      async (ctx) => {
        const judged = await verifyWebSignInCode(ctx, { purpose, email, code, startedId })
        if (judged.kind === 'open') await door.opened?.(ctx, email, startedId)
        return judged
      },
    )
    if (verdict.kind === 'none') return refuse(say('signIn.expiredCode'))
    if (verdict.kind === 'wrong')
      return refuse(verdict.attempts < 3 ? say('signIn.wrongCode', { count: 3 - verdict.attempts }) : say('signIn.noAttemptsLeft'))
    setPersonSessionCookie(web, c, verdict.token, kind)
    return c.redirect(nextFor(c, site, form['next']), 303)
  })

  const takeLink = posted(async (c, site, form) => {
    const token = form['token'] ?? ''
    const email = await findEmailOfSignInLink({ ...site, db: database.write }, purpose, token)
    const startedId = await findStarted(c, site)
    const session = email
      ? await runChangeFromEventPage(web, site, { action: 'sign_in', actor: toSignedInVisitorActor(site, email) }, async (ctx) => {
          const opened = await consumeSignInLink(ctx, purpose, token, startedId)
          if (opened) await door.opened?.(ctx, email, startedId)
          return opened
        })
      : null
    if (!session) return show(c, site, 410, <OldLink site={site} path={pathOf(c, site)} />)
    setPersonSessionCookie(web, c, session, kind)
    return c.redirect(door.home(c, site), 303)
  })

  return createEventRouter(web)
    .get(
      SIGN_IN,
      at(async (c, site) => {
        const given = c.req.query()
        const person = await findPersonSignInSession(web, c, site, kind)
        const wanted = given['email']?.trim()
        if (person?.verified && wanted !== '' && (!wanted || isSameEmail(wanted, person.email)))
          return c.redirect(nextFor(c, site, given['next']), 303)
        return show(c, site, 200, <EmailForm {...view(c, site, given)} />)
      }),
    )
    .post(SIGN_IN, mailCode)
    .get(
      `${SIGN_IN}/code`,
      at(async (c, site) => {
        const given = view(c, site, c.req.query())
        return given.email ? show(c, site, 200, <CodeForm {...given} />) : c.redirect(pathOf(c, site), 303)
      }),
    )
    .post(`${SIGN_IN}/code`, takeCode)
    .get(
      `${SIGN_IN}/link`,
      at(async (c, site) => {
        const token = c.req.query('token') ?? ''
        const path = pathOf(c, site)
        const email = await findEmailOfSignInLink(createPublicEventContext(web, site, database.write), purpose, token)
        if (!email) return show(c, site, 410, <OldLink site={site} path={path} />)
        return show(c, site, 200, <LinkForm site={site} path={path} csrf={getCsrfToken(web, c)} token={token} email={email} />)
      }),
    )
    .post(`${SIGN_IN}/link`, takeLink)
    .post(
      `${door.route}/sign-out`,
      posted(async (c, site) => {
        const person = await findPersonSignInSession(web, c, site, kind)
        if (person) await endPersonSession(database.write, { tenantId: site.tenantId, tokenHash: person.tokenHash })
        clearPersonSessionCookie(web, c, kind)
        return c.redirect(site.paths.home, 303)
      }),
    )
}
