import type { Child } from 'hono/jsx'
import { email as emailArgument } from '../../../kernel/args.ts'
import { maskEmail } from '../../../kernel/mask-email.ts'
import { findWebLink, mayAskFrom, requestWebCode, takeWebLink, verifyWebCode } from '../../../domains/codes/web-codes.ts'
import { endPersonSession } from '../../../domains/codes/person-sessions.ts'
import { clientAddress } from '../../http/client-address.ts'
import { Actions, Button, ErrorSummary, Form, Input, LinkButton } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { showMissing } from '../lost.tsx'
import { csrfFor, type FormValues, isOwnForm, keepsCookies, readSent, type Web, type WebContext } from '../web.ts'
import { eventPagesOf, showAt } from './frame.tsx'
import { actingAs, forgetPerson, personAt, rememberPerson } from './person.ts'
import { AT_EVENT, changeHere, contextAt, type Place, placeOf } from './place.ts'

const SIGN_IN = `${AT_EVENT}/registration/sign-in`

/** Only to a page of this event: a sign-in that sends people elsewhere is a gift to phishers. */
const nextOf = (place: Place, next: string | undefined): string =>
  next?.startsWith(`${place.paths.home}/`) && !/[\s\\\p{Cc}]|\/\.{1,2}(?:\/|$)/u.test(next) ? next : place.paths.myRegistration

const withQuery = (path: string, values: Record<string, string>) => `${path}?${new URLSearchParams(values).toString()}`

interface View {
  place: Place
  csrf: string
  next: string
  email: string
  message?: string | undefined
}

const Narrow = ({ title, children }: { title: string; children: Child }) => (
  <div class="checkout narrow">
    <Card>
      <div class="stack">
        <h1>{title}</h1>
        {children}
      </div>
    </Card>
  </div>
)

function EmailForm({ place, csrf, next, email, message }: View) {
  const { say } = place.words
  return (
    <Narrow title={say('signIn.heading')}>
      <p class="muted">{say('signIn.text', { event: place.config.details.name })}</p>
      <Form action={place.paths.signIn} csrf={csrf} class="stack">
        <ErrorSummary errors={message ? [{ path: 'email', message }] : []} message={message ? say('signIn.lookAgain') : undefined} />
        <input type="hidden" name="next" value={next} />
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
        <Actions>
          <Button tone="primary" wide>
            {say('signIn.send')}
          </Button>
        </Actions>
      </Form>
    </Narrow>
  )
}

function CodeForm({ place, csrf, next, email, message }: View) {
  const { say } = place.words
  return (
    <Narrow title={say('signIn.codeHeading')}>
      <p class="muted">{say('signIn.codeText', { email })}</p>
      <Form action={`${place.paths.signIn}/code`} csrf={csrf} class="stack">
        <ErrorSummary errors={message ? [{ path: 'code', message }] : []} message={message ? say('signIn.lookAgain') : undefined} />
        <input type="hidden" name="next" value={next} />
        <input type="hidden" name="email" value={email} />
        <Input
          name="code"
          label={say('signIn.code')}
          error={message}
          autocomplete="one-time-code"
          inputmode="numeric"
          maxlength={20}
          class="code-input"
          required
          autofocus={!message}
        />
        <Actions>
          <Button tone="primary" wide>
            {say('signIn.enter')}
          </Button>
        </Actions>
      </Form>
      <Form action={place.paths.signIn} csrf={csrf}>
        <input type="hidden" name="next" value={next} />
        <input type="hidden" name="email" value={email} />
        <p class="small muted">
          {say('signIn.noMail')} <a href={withQuery(place.paths.signIn, { email, next })}>{say('signIn.otherEmail')}</a>
        </p>
        <Button tone="quiet" small>
          {say('signIn.again')}
        </Button>
      </Form>
    </Narrow>
  )
}

function LinkForm({ place, csrf, token, email }: { place: Place; csrf: string; token: string; email: string }) {
  const { say } = place.words
  return (
    <Narrow title={say('signIn.heading')}>
      <p>{say('signIn.linkText', { email: maskEmail(email), event: place.config.details.name })}</p>
      <Form action={`${place.paths.signIn}/link`} csrf={csrf} class="stack">
        <input type="hidden" name="token" value={token} />
        <Button tone="primary" wide>
          {say('signIn.enter')}
        </Button>
      </Form>
    </Narrow>
  )
}

const OldLink = ({ place }: { place: Place }) => (
  <Narrow title={place.words.say('expired.heading')}>
    <p>{place.words.say('signIn.oldLink')}</p>
    <div>
      <LinkButton href={place.paths.signIn} tone="primary">
        {place.words.say('signIn.heading')}
      </LinkButton>
    </div>
  </Narrow>
)

/** `…/registration/sign-in`: by a code that is mailed, or by the link in the same mail. What is said never tells whether an address is registered. */
export function personSignInPages(web: Web) {
  const { database } = web.road

  type Handler = (c: WebContext, place: Place) => Promise<Response>
  const at =
    (handle: Handler) =>
    async (c: WebContext): Promise<Response> => {
      const place = await placeOf(web, c)
      return place ? handle(c, place) : showMissing(web, c)
    }

  const show = (c: WebContext, place: Place, status: 200 | 400 | 410 | 429, body: Child) =>
    showAt(web, c, place, { title: place.words.say('signIn.heading'), status, referrer: 'no-referrer' }, body)

  const view = (c: WebContext, place: Place, given: Record<string, string | undefined>, message?: string): View => ({
    place,
    csrf: csrfFor(web, c),
    next: nextOf(place, given['next']),
    email: (given['email'] ?? '').trim(),
    message,
  })

  /** A form that is not our own, or comes from a browser that keeps nothing, changes nothing and leads back to where one begins. */
  const posted = (handle: (c: WebContext, place: Place, form: FormValues) => Promise<Response>) =>
    at(async (c, place) => {
      const form = await readSent(c)
      if (form && !keepsCookies(web, c)) {
        return show(c, place, 400, <EmailForm {...view(c, place, form, place.words.say('signIn.noCookies'))} />)
      }
      return form && isOwnForm(web, c, form) ? handle(c, place, form) : c.redirect(place.paths.signIn, 303)
    })

  const refuseEmail = (c: WebContext, place: Place, form: FormValues, status: 400 | 429, message: string) =>
    show(c, place, status, <EmailForm {...view(c, place, form, message)} />)

  const mailCode = posted(async (c, place, form) => {
    const { say, locale } = place.words
    const typed = emailArgument().safeParse(form['email'] ?? '')
    if (!typed.success) return refuseEmail(c, place, form, 400, say('signIn.badEmail'))
    const email = typed.data
    const address = clientAddress(c.env.incoming, web.trustedProxies)
    const outcome = (await mayAskFrom(database.pool, address))
      ? await changeHere(web, place, { action: 'request_sign_in_code' }, (ctx) => requestWebCode(ctx, { email, locale }))
      : 'wait'
    if (outcome === 'wait') return refuseEmail(c, place, form, 429, say('signIn.wait'))
    return c.redirect(withQuery(`${place.paths.signIn}/code`, { email, next: nextOf(place, form['next']) }), 303)
  })

  const takeCode = posted(async (c, place, form) => {
    const { say } = place.words
    const { email } = view(c, place, form)
    const refuse = (message: string) => show(c, place, 400, <CodeForm {...view(c, place, form, message)} />)
    const code = (form['code'] ?? '').replaceAll(/\s/g, '')
    if (!/^\d{6}$/.test(code)) return refuse(say('signIn.sixDigits'))
    const verdict = await changeHere(web, place, { action: 'sign_in', actor: actingAs(place, email) }, (ctx) =>
      verifyWebCode(ctx, { email, code }),
    )
    if (verdict.kind === 'none') return refuse(say('signIn.oldCode'))
    if (verdict.kind === 'wrong')
      return refuse(verdict.attempts < 3 ? say('signIn.wrongCode', { count: 3 - verdict.attempts }) : say('signIn.burned'))
    rememberPerson(web, c, verdict.token)
    return c.redirect(nextOf(place, form['next']), 303)
  })

  const takeLink = posted(async (c, place, form) => {
    const token = form['token'] ?? ''
    const email = await findWebLink({ ...place, db: database.write }, token)
    const session = email
      ? await changeHere(web, place, { action: 'sign_in', actor: actingAs(place, email) }, (ctx) => takeWebLink(ctx, token))
      : null
    if (!session) return show(c, place, 410, <OldLink place={place} />)
    rememberPerson(web, c, session)
    return c.redirect(place.paths.myRegistration, 303)
  })

  return eventPagesOf(web)
    .get(
      SIGN_IN,
      at(async (c, place) => {
        const given = c.req.query()
        const person = await personAt(web, c, place)
        const wanted = given['email']?.trim().toLowerCase()
        if (person && (!wanted || wanted === person.email.toLowerCase())) return c.redirect(nextOf(place, given['next']), 303)
        return show(c, place, 200, <EmailForm {...view(c, place, given)} />)
      }),
    )
    .post(SIGN_IN, mailCode)
    .get(
      `${SIGN_IN}/code`,
      at(async (c, place) => {
        const given = view(c, place, c.req.query())
        return given.email ? show(c, place, 200, <CodeForm {...given} />) : c.redirect(place.paths.signIn, 303)
      }),
    )
    .post(`${SIGN_IN}/code`, takeCode)
    .get(
      `${SIGN_IN}/link`,
      at(async (c, place) => {
        const token = c.req.query('token') ?? ''
        const email = await findWebLink(contextAt(web, place, database.write), token)
        if (!email) return show(c, place, 410, <OldLink place={place} />)
        return show(c, place, 200, <LinkForm place={place} csrf={csrfFor(web, c)} token={token} email={email} />)
      }),
    )
    .post(`${SIGN_IN}/link`, takeLink)
    .post(
      `${AT_EVENT}/registration/sign-out`,
      posted(async (c, place) => {
        const person = await personAt(web, c, place)
        if (person) await endPersonSession(database.write, { tenantId: place.tenantId, tokenHash: person.tokenHash })
        forgetPerson(web, c)
        return c.redirect(place.paths.home, 303)
      }),
    )
}
