import type { Child } from 'hono/jsx'
import { email as emailArgument } from '../../../kernel/args.ts'
import { maskEmail } from '../../../kernel/mask-email.ts'
import { findWebLink, mayAskFrom, requestWebCode, takeWebLink, verifyWebCode, type WebPurpose } from '../../../domains/codes/web-codes.ts'
import { endPersonSession } from '../../../domains/codes/person-sessions.ts'
import type { SessionKind } from '../../../domains/codes/tables.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import { clientAddress } from '../../http/client-address.ts'
import { Actions, Button, ErrorSummary, Form, Input, LinkButton } from '../components/forms.tsx'
import { showMissing } from '../lost.tsx'
import { csrfFor, type FormValues, isOwnForm, keepsCookies, readSent, type Web, type WebContext } from '../web.ts'
import { eventPagesOf, Narrow, showAt } from './frame.tsx'
import { actingAs, forgetPerson, personAt, rememberPerson } from './person.ts'
import { AT_EVENT, changeHere, contextAt, type Place, placeOf } from './place.ts'

/** Where somebody signs in, and what they come to by it. */
export interface Door {
  /** The route that it is the way to. */
  route: string
  purpose: WebPurpose
  kind: SessionKind
  /** The page behind it. */
  home: (c: WebContext, place: Place) => string
  text: 'signIn.text' | 'signIn.groupText'
  /** For whoever comes in by another door. */
  aside?: (c: WebContext, place: Place) => Child
  /** In the transaction that lets somebody in. */
  opened?: (ctx: AtEvent, email: string) => Promise<void>
}

const OWN_REGISTRATION: Door = {
  route: `${AT_EVENT}/registration`,
  purpose: 'web',
  kind: 'person',
  home: (_c, { paths }) => paths.myRegistration,
  text: 'signIn.text',
}

/** Only to a page of this event: a sign-in that sends people elsewhere is a gift to phishers. */
const nextOf = (place: Place, next: string | undefined, home: string): string =>
  next?.startsWith(`${place.paths.home}/`) && !/[\s\\\p{Cc}]|\/\.{1,2}(?:\/|$)/u.test(next) ? next : home

const withQuery = (path: string, values: Record<string, string>) => `${path}?${new URLSearchParams(values).toString()}`

interface View {
  place: Place
  door: Door
  /** Of the door's own pages. */
  path: string
  csrf: string
  next: string
  email: string
  message?: string | undefined
  aside?: Child
}

function EmailForm({ place, door, path, csrf, next, email, message, aside }: View) {
  const { say } = place.words
  return (
    <Narrow title={say('signIn.heading')}>
      <p class="muted">{say(door.text, { event: place.config.details.name })}</p>
      <Form action={path} csrf={csrf} class="stack">
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
      {aside}
    </Narrow>
  )
}

/** Where six digits of a mail are typed. */
export const CodeInput = ({ place, message }: { place: Place; message?: string | undefined }) => (
  <Input
    name="code"
    label={place.words.say('signIn.code')}
    error={message}
    autocomplete="one-time-code"
    inputmode="numeric"
    maxlength={20}
    class="code-input"
    required
    autofocus={!message}
  />
)

/** For whoever waits for a code in vain: the same is asked for again, or for another address. */
export function AnotherCode({ place, path, csrf, asked }: Pick<View, 'place' | 'path' | 'csrf'> & { asked: Record<string, string> }) {
  const { say } = place.words
  return (
    <Form action={path} csrf={csrf} class="stack">
      {Object.entries(asked).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <p class="small muted">
        {say('signIn.noMail')} <a href={withQuery(path, asked)}>{say('signIn.otherEmail')}</a>
      </p>
      <div>
        <Button small>{say('signIn.again')}</Button>
      </div>
    </Form>
  )
}

function CodeForm({ place, path, csrf, next, email, message }: View) {
  const { say } = place.words
  return (
    <Narrow title={say('signIn.codeHeading')}>
      <p class="muted">{say('signIn.codeText', { email })}</p>
      <Form action={`${path}/code`} csrf={csrf} class="stack">
        <ErrorSummary errors={message ? [{ path: 'code', message }] : []} message={message ? say('signIn.lookAgain') : undefined} />
        <input type="hidden" name="next" value={next} />
        <input type="hidden" name="email" value={email} />
        <CodeInput place={place} message={message} />
        <Actions>
          <Button tone="primary" wide>
            {say('signIn.enter')}
          </Button>
        </Actions>
      </Form>
      <AnotherCode place={place} path={path} csrf={csrf} asked={{ email, next }} />
    </Narrow>
  )
}

function LinkForm({ place, path, csrf, token, email }: Pick<View, 'place' | 'path' | 'csrf' | 'email'> & { token: string }) {
  const { say } = place.words
  return (
    <Narrow title={say('signIn.heading')}>
      <p>{say('signIn.linkText', { email: maskEmail(email), event: place.config.details.name })}</p>
      <Form action={`${path}/link`} csrf={csrf} class="stack">
        <input type="hidden" name="token" value={token} />
        <Button tone="primary" wide>
          {say('signIn.enter')}
        </Button>
      </Form>
    </Narrow>
  )
}

const OldLink = ({ place, path }: Pick<View, 'place' | 'path'>) => (
  <Narrow title={place.words.say('expired.heading')}>
    <p>{place.words.say('signIn.oldLink')}</p>
    <div>
      <LinkButton href={path} tone="primary">
        {place.words.say('signIn.heading')}
      </LinkButton>
    </div>
  </Narrow>
)

/** `…/registration/sign-in`: by a code that is mailed, or by the link in the same mail. What is said never tells whether an address is registered. */
export const personSignInPages = (web: Web) => signInPagesOf(web, OWN_REGISTRATION)

/** The same pages in front of whatever a mailbox opens here. */
export function signInPagesOf(web: Web, door: Door) {
  const { database } = web.road
  const { purpose, kind } = door
  const SIGN_IN = `${door.route}/sign-in`

  type Handler = (c: WebContext, place: Place) => Promise<Response>
  const at =
    (handle: Handler) =>
    async (c: WebContext): Promise<Response> => {
      const place = await placeOf(web, c)
      return place ? handle(c, place) : showMissing(web, c)
    }

  const show = (c: WebContext, place: Place, status: 200 | 400 | 410 | 429, body: Child) =>
    showAt(web, c, place, { title: place.words.say('signIn.heading'), status, referrer: 'no-referrer' }, body)

  const pathOf = (c: WebContext, place: Place) => `${door.home(c, place)}/sign-in`
  const nextFor = (c: WebContext, place: Place, next: string | undefined) => nextOf(place, next, door.home(c, place))

  const view = (c: WebContext, place: Place, given: Record<string, string | undefined>, message?: string): View => ({
    place,
    door,
    path: pathOf(c, place),
    csrf: csrfFor(web, c),
    next: nextFor(c, place, given['next']),
    email: (given['email'] ?? '').trim(),
    message,
    aside: door.aside?.(c, place),
  })

  /** A form that is not our own, or comes from a browser that keeps nothing, changes nothing and leads back to where one begins. */
  const posted = (handle: (c: WebContext, place: Place, form: FormValues) => Promise<Response>) =>
    at(async (c, place) => {
      const form = await readSent(c)
      if (form && !keepsCookies(web, c)) {
        return show(c, place, 400, <EmailForm {...view(c, place, form, place.words.say('signIn.noCookies'))} />)
      }
      return form && isOwnForm(web, c, form) ? handle(c, place, form) : c.redirect(pathOf(c, place), 303)
    })

  const refuseEmail = (c: WebContext, place: Place, form: FormValues, status: 400 | 429, message: string) =>
    show(c, place, status, <EmailForm {...view(c, place, form, message)} />)

  const mailCode = posted(async (c, place, form) => {
    const { say, locale } = place.words
    const typed = emailArgument().safeParse(form['email'] ?? '')
    if (!typed.success) return refuseEmail(c, place, form, 400, say('signIn.badEmail'))
    const email = typed.data
    const address = clientAddress(c.env.incoming, web.trustedProxies)
    const asked = { purpose, email, locale, linkPath: `${pathOf(c, place)}/link` }
    const outcome = (await mayAskFrom(database.pool, address))
      ? await changeHere(web, place, { action: 'request_sign_in_code' }, (ctx) => requestWebCode(ctx, asked))
      : 'wait'
    if (outcome === 'wait') return refuseEmail(c, place, form, 429, say('signIn.wait'))
    return c.redirect(withQuery(`${pathOf(c, place)}/code`, { email, next: nextFor(c, place, form['next']) }), 303)
  })

  const takeCode = posted(async (c, place, form) => {
    const { say } = place.words
    const { email } = view(c, place, form)
    const refuse = (message: string) => show(c, place, 400, <CodeForm {...view(c, place, form, message)} />)
    const code = (form['code'] ?? '').replaceAll(/\s/g, '')
    if (!/^\d{6}$/.test(code)) return refuse(say('signIn.sixDigits'))
    const verdict = await changeHere(web, place, { action: 'sign_in', actor: actingAs(place, email) }, async (ctx) => {
      const judged = await verifyWebCode(ctx, { purpose, email, code })
      if (judged.kind === 'open') await door.opened?.(ctx, email)
      return judged
    })
    if (verdict.kind === 'none') return refuse(say('signIn.oldCode'))
    if (verdict.kind === 'wrong')
      return refuse(verdict.attempts < 3 ? say('signIn.wrongCode', { count: 3 - verdict.attempts }) : say('signIn.burned'))
    rememberPerson(web, c, verdict.token, kind)
    return c.redirect(nextFor(c, place, form['next']), 303)
  })

  const takeLink = posted(async (c, place, form) => {
    const token = form['token'] ?? ''
    const email = await findWebLink({ ...place, db: database.write }, purpose, token)
    const session = email
      ? await changeHere(web, place, { action: 'sign_in', actor: actingAs(place, email) }, async (ctx) => {
          const opened = await takeWebLink(ctx, purpose, token)
          if (opened) await door.opened?.(ctx, email)
          return opened
        })
      : null
    if (!session) return show(c, place, 410, <OldLink place={place} path={pathOf(c, place)} />)
    rememberPerson(web, c, session, kind)
    return c.redirect(door.home(c, place), 303)
  })

  return eventPagesOf(web)
    .get(
      SIGN_IN,
      at(async (c, place) => {
        const given = c.req.query()
        const person = await personAt(web, c, place, kind)
        const wanted = given['email']?.trim().toLowerCase()
        if (person && wanted !== '' && (!wanted || wanted === person.email.toLowerCase()))
          return c.redirect(nextFor(c, place, given['next']), 303)
        return show(c, place, 200, <EmailForm {...view(c, place, given)} />)
      }),
    )
    .post(SIGN_IN, mailCode)
    .get(
      `${SIGN_IN}/code`,
      at(async (c, place) => {
        const given = view(c, place, c.req.query())
        return given.email ? show(c, place, 200, <CodeForm {...given} />) : c.redirect(pathOf(c, place), 303)
      }),
    )
    .post(`${SIGN_IN}/code`, takeCode)
    .get(
      `${SIGN_IN}/link`,
      at(async (c, place) => {
        const token = c.req.query('token') ?? ''
        const path = pathOf(c, place)
        const email = await findWebLink(contextAt(web, place, database.write), purpose, token)
        if (!email) return show(c, place, 410, <OldLink place={place} path={path} />)
        return show(c, place, 200, <LinkForm place={place} path={path} csrf={csrfFor(web, c)} token={token} email={email} />)
      }),
    )
    .post(`${SIGN_IN}/link`, takeLink)
    .post(
      `${door.route}/sign-out`,
      posted(async (c, place) => {
        const person = await personAt(web, c, place, kind)
        if (person) await endPersonSession(database.write, { tenantId: place.tenantId, tokenHash: person.tokenHash })
        forgetPerson(web, c, kind)
        return c.redirect(place.paths.home, 303)
      }),
    )
}
