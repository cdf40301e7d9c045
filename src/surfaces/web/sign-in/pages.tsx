import { setTimeout } from 'node:timers/promises'
import { Hono } from 'hono'
import { AppError } from '../../../kernel/errors.ts'
import { findPasswordLink, setPasswordThroughLink } from '../../../domains/sign-in/passwords.ts'
import { createBrowserSession, endBrowserSession } from '../../../domains/sign-in/sessions.ts'
import { completeSecondFactorSignIn, requestPasswordReset, signIn } from '../../../domains/sign-in/sign-in.ts'
import { getClientIpBlock } from '../../http/client-address.ts'
import { renderCenteredFormPage } from '../components/form-page.tsx'
import { FormActions, type FieldErrors, Input, LinkButton, findFieldError } from '../components/forms.tsx'
import { renderHtmlDocument } from '../components/layout.tsx'
import { renderCenteredCardPage, type RenderedPage } from '../components/page.tsx'
import { Notice } from '../components/parts.tsx'
import { readBrowserInfo, chooseVisitorLanguage } from '../language/visitor.ts'
import { findMismatchedHost, explainOriginMismatch, formatBaseUrlMismatch } from '../address-mismatch.ts'
import {
  getCsrfToken,
  type FormValues,
  clearSessionCookie,
  isSameOriginForm,
  hasCookies,
  readSameOriginForm,
  readFormWithoutCsrfCheck,
  setSessionCookie,
  readSignInSession,
  sendPage,
  type WebServices,
  type WebContext,
  type WebEnv,
} from '../web.ts'

const WRONG_CREDENTIALS = 'The email or password is not correct.'
/** The message for a browser that blocks cookies: the page itself sets the cookie, so a request without it comes from such a browser. */
const NO_COOKIE = 'Your browser blocked a cookie that this page needs. Allow cookies for this site, then sign in again.'
const TOO_MANY_LINKS = 'Too many links were requested. Wait an hour, then try again.'
const TOO_MANY_ATTEMPTS = 'Too many failed sign-ins. Wait 15 minutes, then try again.'

/** Minimum response time of the password reset. It hides whether an email was sent, which takes longer than sending none. */
const FORGOT_MIN_RESPONSE_MS = 250

/** Returns the path to open after sign-in. Only paths of this site are accepted, because an open redirect would help phishing. */
export const toSafeNextPath = (next: string | undefined): string => (next && /^\/(?![/\\])[^\s\\\p{Cc}]*$/u.test(next) ? next : '/console')

interface View {
  csrf: string
  next: string
  email?: string
  message?: string
}

const errorsOf = (message: string | undefined) => (message === undefined ? null : { message })

const signInPage = ({ csrf, next, email, message }: View) =>
  renderCenteredFormPage({
    title: 'Sign in',
    text: 'Use your organizer account.',
    foot: (
      <>
        <p>
          <a href="/console/forgot">Forgot your password?</a>
        </p>
        <p>New here? Ask an administrator of your organization for an invitation.</p>
      </>
    ),
    formErrors: errorsOf(message),
    action: '/console/sign-in',
    csrf,
    hidden: { next },
    submit: 'Sign in',
    children: (
      <>
        <Input name="email" type="email" label="Email" value={email} autocomplete="username" required autofocus />
        <Input name="password" type="password" label="Password" autocomplete="current-password" required />
      </>
    ),
  })

const totpPage = ({ csrf, next, message }: View) =>
  renderCenteredFormPage({
    title: 'Enter your sign-in code',
    text: 'Your authenticator app shows it.',
    foot: 'Lost your device? Enter one of your recovery codes here instead.',
    formErrors: errorsOf(message),
    action: '/console/sign-in/totp',
    csrf,
    hidden: { next },
    submit: 'Continue',
    children: (
      <Input name="code" label="Code" autocomplete="one-time-code" inputmode="text" maxlength={20} class="code-input" required autofocus />
    ),
  })

const FORGOT_HEAD = {
  title: 'Forgot password',
  heading: 'Forgot your password?',
  foot: <a href="/console/sign-in">Back to sign-in</a>,
}

const forgotPage = (csrf: string, message?: string) =>
  renderCenteredFormPage({
    ...FORGOT_HEAD,
    formErrors: errorsOf(message),
    action: '/console/forgot',
    csrf,
    submit: 'Send link',
    children: (
      <>
        <p class="muted">We will email you a link to set a new password.</p>
        <Input name="email" type="email" label="Email" autocomplete="username" required autofocus />
      </>
    ),
  })

const linkSentPage = () =>
  renderCenteredCardPage(
    FORGOT_HEAD,
    <Notice tone="success">
      If an account with this address exists, we have sent a link to set a new password. It works for 30 minutes.
    </Notice>,
  )

const passwordPage = ({ csrf, token, name, errors }: { csrf: string; token: string; name: string; errors?: FieldErrors }) =>
  renderCenteredFormPage({
    title: 'Choose a password',
    text: `For ${name}. Use at least 12 characters, for example several words in a row.`,
    formErrors: errors && { errors },
    action: '/console/password',
    csrf,
    hidden: { token },
    submit: 'Set password',
    children: (
      <Input
        name="password"
        type="password"
        label="New password"
        autocomplete="new-password"
        error={findFieldError(errors, 'password')}
        required
        autofocus
      />
    ),
  })

const expiredLinkPage = () =>
  renderCenteredCardPage(
    {
      title: 'Link expired',
      heading: 'This link no longer works',
      text: 'The link was already used or has expired. Request a new link, or ask an administrator to invite you again.',
      foot: <a href="/console/sign-in">Back to sign-in</a>,
    },
    <FormActions>
      <LinkButton href="/console/forgot" tone="primary">
        Request a new link
      </LinkButton>
    </FormActions>,
  )

const send = (c: WebContext, { title, content, status }: RenderedPage, as: 401 | 410 | 429 | RenderedPage['status'] = status) =>
  sendPage(c, renderHtmlDocument(title, content), as)

/** The pages to sign in, sign out and reset a password. */
export function signInPages(web: WebServices) {
  const parts = { database: web.services.database, keys: web.services.keys, passwords: web.passwords, baseUrl: web.services.baseUrl }
  const attempt = (c: WebContext) => ({
    address: getClientIpBlock(c.env.incoming, web.trustedProxies),
    browser: readBrowserInfo(web, c),
  })
  const view = (c: WebContext, rest: Omit<View, 'csrf'>) => ({ csrf: getCsrfToken(web, c), ...rest })
  const withNext = (path: string, next: string) => `${path}?next=${encodeURIComponent(next)}`
  /**
   * Handles a form with an expired CSRF token, for example after signing in in another tab: continues to the requested page, or to the
   * sign-in step that is still missing.
   */
  const continueSignIn = async (c: WebContext, sent: FormValues | null) => {
    const next = toSafeNextPath(sent?.['next'])
    const session = await readSignInSession(web, c)
    if (session && !session.totpPending) return c.redirect(next, 303)
    return c.redirect(withNext(session ? '/console/sign-in/totp' : '/console/sign-in', next), 303)
  }

  return new Hono<WebEnv>()
    .get('/console/sign-in', async (c) => {
      const next = toSafeNextPath(c.req.query('next'))
      const session = await readSignInSession(web, c)
      if (session && !session.totpPending) return c.redirect(next, 303)
      // Forms opened at a URL other than the base URL are rejected, so the page warns before the user types a password.
      const elsewhere = findMismatchedHost(web, c)
      const message = elsewhere === null ? {} : { message: formatBaseUrlMismatch(elsewhere, web.services.baseUrl) }
      return send(c, signInPage(view(c, { next, ...message })), 200)
    })
    .post('/console/sign-in', async (c) => {
      const form = await readFormWithoutCsrfCheck(c)
      const unfit = form && (explainOriginMismatch(web, c) ?? (hasCookies(web, c) ? null : NO_COOKIE))
      if (form && unfit) {
        const [next, email] = [toSafeNextPath(form['next']), (form['email'] ?? '').trim()]
        return send(c, signInPage(view(c, { next, email, message: unfit })))
      }
      if (!form || !isSameOriginForm(web, c, form)) return continueSignIn(c, form)
      const next = toSafeNextPath(form['next'])
      const email = (form['email'] ?? '').trim()
      const outcome = await signIn(parts, { ...attempt(c), email, password: form['password'] ?? '' })
      if (outcome.kind !== 'open') {
        const message = outcome.kind === 'wait' ? TOO_MANY_ATTEMPTS : WRONG_CREDENTIALS
        return send(c, signInPage(view(c, { next, email, message })), outcome.kind === 'wait' ? 429 : 401)
      }
      setSessionCookie(web, c, outcome.token)
      return c.redirect(outcome.totpPending ? withNext('/console/sign-in/totp', next) : next, 303)
    })
    .get('/console/sign-in/totp', async (c) => {
      const session = await readSignInSession(web, c)
      const next = toSafeNextPath(c.req.query('next'))
      if (!session) return c.redirect(withNext('/console/sign-in', next), 303)
      if (!session.totpPending) return c.redirect(next, 303)
      return send(c, totpPage(view(c, { next })))
    })
    .post('/console/sign-in/totp', async (c) => {
      const form = await readFormWithoutCsrfCheck(c)
      const session = await readSignInSession(web, c)
      if (!form || !session?.totpPending || !isSameOriginForm(web, c, form)) return continueSignIn(c, form)
      const next = toSafeNextPath(form['next'])
      const outcome = await completeSecondFactorSignIn(parts, session, { ...attempt(c), code: form['code'] ?? '' })
      if (outcome.kind !== 'open') {
        const message = outcome.kind === 'wait' ? TOO_MANY_ATTEMPTS : 'That code is not correct or has already been used.'
        return send(c, totpPage(view(c, { next, message })), outcome.kind === 'wait' ? 429 : 401)
      }
      setSessionCookie(web, c, outcome.token)
      return c.redirect(next, 303)
    })
    .get('/console/forgot', (c) => send(c, forgotPage(getCsrfToken(web, c))))
    .post('/console/forgot', async (c) => {
      const form = await readSameOriginForm(web, c)
      if (!form) return c.redirect('/console/forgot', 303)
      const { address } = attempt(c)
      const [outcome] = await Promise.all([
        requestPasswordReset(parts, { email: (form['email'] ?? '').trim(), address, language: chooseVisitorLanguage(web, c) }),
        setTimeout(FORGOT_MIN_RESPONSE_MS),
      ])
      return outcome === 'wait' ? send(c, forgotPage(getCsrfToken(web, c), TOO_MANY_LINKS), 429) : send(c, linkSentPage())
    })
    .get('/console/password', async (c) => {
      const token = c.req.query('token') ?? ''
      const link = await findPasswordLink(web.services.database.write, token)
      if (!link) return send(c, expiredLinkPage(), 410)
      const { title, content } = passwordPage({ csrf: getCsrfToken(web, c), token, name: link.email })
      return sendPage(c, renderHtmlDocument(title, content), 200, { referrer: 'no-referrer' })
    })
    .post('/console/password', async (c) => {
      const form = await readSameOriginForm(web, c)
      if (!form) return c.redirect('/console/sign-in', 303)
      const token = form['token'] ?? ''
      try {
        const session = await web.services.database.transact(async (db) => {
          const { userId } = await setPasswordThroughLink(db, token, form['password'] ?? '', web.passwords)
          const user = await db.selectFrom('users').select('totp_confirmed_at').where('id', '=', userId).executeTakeFirstOrThrow()
          return createBrowserSession(db, { userId, totpPending: user.totp_confirmed_at !== null, ...readBrowserInfo(web, c) })
        })
        setSessionCookie(web, c, session)
        return c.redirect('/console', 303)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const link = await findPasswordLink(web.services.database.write, token)
        if (!link) return send(c, expiredLinkPage(), 410)
        return send(c, passwordPage({ csrf: getCsrfToken(web, c), token, name: link.email, errors: error.details.fields ?? [] }))
      }
    })
    .post('/console/sign-out', async (c) => {
      const form = await readSameOriginForm(web, c)
      const session = await readSignInSession(web, c)
      if (form && session) {
        await endBrowserSession(web.services.database.write, session.tokenHash)
        clearSessionCookie(web, c)
      }
      return c.redirect('/console/sign-in', 303)
    })
}
