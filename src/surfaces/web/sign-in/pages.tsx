import { setTimeout } from 'node:timers/promises'
import { Hono } from 'hono'
import { AppError } from '../../../kernel/errors.ts'
import { findPasswordLink, usePasswordLink } from '../../../domains/sign-in/passwords.ts'
import { openSession, endSession } from '../../../domains/sign-in/sessions.ts'
import { finishSignIn, forgotPassword, signIn } from '../../../domains/sign-in/sign-in.ts'
import { clientAddress } from '../../http/client-address.ts'
import { Actions, Button, ErrorSummary, type Errors, Form, Input, errorOf } from '../components/forms.tsx'
import { document, FocusPage } from '../components/layout.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { browserOf, languageFor } from '../language/visitor.ts'
import { askedFromElsewhere, openedElsewhere, otherAddress } from '../opened-at.ts'
import {
  csrfFor,
  type FormValues,
  forgetSession,
  isOwnForm,
  keepsCookies,
  readForm,
  readSent,
  rememberSession,
  sessionOf,
  show,
  type Web,
  type WebContext,
  type WebEnv,
} from '../web.ts'

const WRONG = 'Email or password is not right.'
/** The page itself gave one, so a browser that comes without keeps none. */
const NO_COOKIE = 'Your browser did not keep the cookie of this page. Allow cookies of this site, then sign in again.'
const ASKED_TOO_OFTEN = 'Too many links were asked for from here. Wait an hour, then try again.'
const WAIT = 'Too many failed sign-ins. Wait 15 minutes, then try again.'

/** Writing a mail takes longer than writing none. Answered no sooner than this, the two cannot be told apart. */
const FORGOT_MS = 250

/** Only a path of our own: a sign-in page that sends people elsewhere is a gift to phishers. */
export const ownPath = (next: string | undefined): string => (next && /^\/(?![/\\])[^\s\\\p{Cc}]*$/u.test(next) ? next : '/console')

interface View {
  csrf: string
  next: string
  email?: string
  message?: string
}

const SignInPage = ({ csrf, next, email, message }: View) => (
  <FocusPage foot={<a href="/console/forgot">Forgot your password?</a>}>
    <Card>
      <h1>Sign in</h1>
      <p class="muted">With your organizer account.</p>
      <Form action="/console/sign-in" csrf={csrf} class="stack">
        <ErrorSummary message={message} />
        <input type="hidden" name="next" value={next} />
        <Input name="email" type="email" label="Email" value={email} autocomplete="username" required autofocus />
        <Input name="password" type="password" label="Password" autocomplete="current-password" required />
        <Actions>
          <Button tone="primary" wide>
            Sign in
          </Button>
        </Actions>
      </Form>
    </Card>
  </FocusPage>
)

const TotpPage = ({ csrf, next, message }: View) => (
  <FocusPage foot="Lost your device? Use one of your recovery codes instead.">
    <Card>
      <h1>Second factor</h1>
      <p class="muted">Enter the code that your authenticator app shows.</p>
      <Form action="/console/sign-in/totp" csrf={csrf} class="stack">
        <ErrorSummary message={message} />
        <input type="hidden" name="next" value={next} />
        <Input
          name="code"
          label="Code"
          autocomplete="one-time-code"
          inputmode="text"
          maxlength={20}
          class="code-input"
          required
          autofocus
        />
        <Actions>
          <Button tone="primary" wide>
            Continue
          </Button>
        </Actions>
      </Form>
    </Card>
  </FocusPage>
)

const ForgotPage = ({ csrf, sent, message }: { csrf: string; sent: boolean; message?: string }) => (
  <FocusPage foot={<a href="/console/sign-in">Back to sign-in</a>}>
    <Card>
      <h1>Forgot your password?</h1>
      {sent ? (
        <Notice tone="success">
          If there is an account with this address, a link to set a new password is on its way. It works for 30 minutes.
        </Notice>
      ) : (
        <Form action="/console/forgot" csrf={csrf} class="stack">
          <ErrorSummary message={message} />
          <p class="muted">We mail you a link to set a new one.</p>
          <Input name="email" type="email" label="Email" autocomplete="username" required autofocus />
          <Actions>
            <Button tone="primary" wide>
              Send the link
            </Button>
          </Actions>
        </Form>
      )}
    </Card>
  </FocusPage>
)

const PasswordPage = ({ csrf, token, name, errors }: { csrf: string; token: string; name: string; errors?: Errors }) => (
  <FocusPage>
    <Card>
      <h1>Choose a password</h1>
      <p class="muted">For {name}. At least 12 characters; a few words in a row are good.</p>
      <Form action="/console/password" csrf={csrf} class="stack">
        <ErrorSummary errors={errors} />
        <input type="hidden" name="token" value={token} />
        <Input
          name="password"
          type="password"
          label="New password"
          autocomplete="new-password"
          error={errorOf(errors, 'password')}
          required
          autofocus
        />
        <Actions>
          <Button tone="primary" wide>
            Set the password
          </Button>
        </Actions>
      </Form>
    </Card>
  </FocusPage>
)

const OldLinkPage = () => (
  <FocusPage foot={<a href="/console/forgot">Ask for a new link</a>}>
    <Card>
      <h1>This link no longer works</h1>
      <p>It was used already, or it is too old. Ask for a new one, or have an administrator invite you again.</p>
    </Card>
  </FocusPage>
)

/** Signing in and out, and getting back in. */
export function signInPages(web: Web) {
  const parts = { database: web.road.database, keys: web.road.keys, passwords: web.passwords, baseUrl: web.road.baseUrl }
  const attempt = (c: WebContext) => ({
    address: clientAddress(c.env.incoming, web.trustedProxies),
    browser: browserOf(web, c),
  })
  const view = (c: WebContext, rest: Omit<View, 'csrf'>) => ({ csrf: csrfFor(web, c), ...rest })
  const withNext = (path: string, next: string) => `${path}?next=${encodeURIComponent(next)}`
  /** After a form that no longer holds, as when another tab signed in meanwhile: to where the person wanted to go, or the step that is still owed. */
  const goOn = async (c: WebContext, sent: FormValues | null) => {
    const next = ownPath(sent?.['next'])
    const session = await sessionOf(web, c)
    if (session && !session.totpPending) return c.redirect(next, 303)
    return c.redirect(withNext(session ? '/console/sign-in/totp' : '/console/sign-in', next), 303)
  }

  return new Hono<WebEnv>()
    .get('/console/sign-in', async (c) => {
      const next = ownPath(c.req.query('next'))
      const session = await sessionOf(web, c)
      if (session && !session.totpPending) return c.redirect(next, 303)
      // Forms of a page that was opened there are refused: said before somebody types a password.
      const elsewhere = askedFromElsewhere(web, c)
      const message = elsewhere === null ? {} : { message: otherAddress(elsewhere, web.road.baseUrl) }
      return show(c, document('Sign in', <SignInPage {...view(c, { next, ...message })} />))
    })
    .post('/console/sign-in', async (c) => {
      const form = await readSent(c)
      const unfit = form && (openedElsewhere(web, c) ?? (keepsCookies(web, c) ? null : NO_COOKIE))
      if (form && unfit) {
        const [next, email] = [ownPath(form['next']), (form['email'] ?? '').trim()]
        return show(c, document('Sign in', <SignInPage {...view(c, { next, email, message: unfit })} />), 400)
      }
      if (!form || !isOwnForm(web, c, form)) return goOn(c, form)
      const next = ownPath(form['next'])
      const email = (form['email'] ?? '').trim()
      const outcome = await signIn(parts, { ...attempt(c), email, password: form['password'] ?? '' })
      if (outcome.kind !== 'open') {
        const message = outcome.kind === 'wait' ? WAIT : WRONG
        return show(c, document('Sign in', <SignInPage {...view(c, { next, email, message })} />), outcome.kind === 'wait' ? 429 : 401)
      }
      rememberSession(web, c, outcome.token)
      return c.redirect(outcome.totpPending ? withNext('/console/sign-in/totp', next) : next, 303)
    })
    .get('/console/sign-in/totp', async (c) => {
      const session = await sessionOf(web, c)
      const next = ownPath(c.req.query('next'))
      if (!session) return c.redirect(withNext('/console/sign-in', next), 303)
      if (!session.totpPending) return c.redirect(next, 303)
      return show(c, document('Second factor', <TotpPage {...view(c, { next })} />))
    })
    .post('/console/sign-in/totp', async (c) => {
      const form = await readSent(c)
      const session = await sessionOf(web, c)
      if (!form || !session?.totpPending || !isOwnForm(web, c, form)) return goOn(c, form)
      const next = ownPath(form['next'])
      const outcome = await finishSignIn(parts, session, { ...attempt(c), code: form['code'] ?? '' })
      if (outcome.kind !== 'open') {
        const message = outcome.kind === 'wait' ? WAIT : 'This code is not right, or it was used already.'
        return show(c, document('Second factor', <TotpPage {...view(c, { next, message })} />), outcome.kind === 'wait' ? 429 : 401)
      }
      rememberSession(web, c, outcome.token)
      return c.redirect(next, 303)
    })
    .get('/console/forgot', (c) => show(c, document('Forgot password', <ForgotPage csrf={csrfFor(web, c)} sent={false} />)))
    .post('/console/forgot', async (c) => {
      const form = await readForm(web, c)
      if (!form) return c.redirect('/console/forgot', 303)
      const { address } = attempt(c)
      const [outcome] = await Promise.all([
        forgotPassword(parts, { email: (form['email'] ?? '').trim(), address, language: languageFor(web, c) }),
        setTimeout(FORGOT_MS),
      ])
      if (outcome === 'wait')
        return show(c, document('Forgot password', <ForgotPage csrf={csrfFor(web, c)} sent={false} message={ASKED_TOO_OFTEN} />), 429)
      return show(c, document('Forgot password', <ForgotPage csrf={csrfFor(web, c)} sent />))
    })
    .get('/console/password', async (c) => {
      const token = c.req.query('token') ?? ''
      const link = await findPasswordLink(web.road.database.write, token)
      if (!link) return show(c, document('Link', <OldLinkPage />), 410)
      return show(c, document('Choose a password', <PasswordPage csrf={csrfFor(web, c)} token={token} name={link.email} />), 200, {
        referrer: 'no-referrer',
      })
    })
    .post('/console/password', async (c) => {
      const form = await readForm(web, c)
      if (!form) return c.redirect('/console/sign-in', 303)
      const token = form['token'] ?? ''
      try {
        const session = await web.road.database.transact(async (db) => {
          const { userId } = await usePasswordLink(db, token, form['password'] ?? '', web.passwords)
          const user = await db.selectFrom('users').select('totp_confirmed_at').where('id', '=', userId).executeTakeFirstOrThrow()
          return openSession(db, { userId, totpPending: user.totp_confirmed_at !== null, ...browserOf(web, c) })
        })
        rememberSession(web, c, session)
        return c.redirect('/console', 303)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const link = await findPasswordLink(web.road.database.write, token)
        if (!link) return show(c, document('Link', <OldLinkPage />), 410)
        return show(
          c,
          document(
            'Choose a password',
            <PasswordPage csrf={csrfFor(web, c)} token={token} name={link.email} errors={error.details.fields ?? []} />,
          ),
          400,
        )
      }
    })
    .post('/console/sign-out', async (c) => {
      const form = await readForm(web, c)
      const session = await sessionOf(web, c)
      if (form && session) {
        await endSession(web.road.database.write, session.tokenHash)
        forgetSession(web, c)
      }
      return c.redirect('/console/sign-in', 303)
    })
}
