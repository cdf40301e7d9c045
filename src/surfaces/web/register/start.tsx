import { takeFromBucket } from '../../../domains/access/rate-windows.ts'
import { begin, openFlow } from '../../../domains/checkout/begin.ts'
import { firstUnfinished, type Progress } from '../../../domains/checkout/progress.ts'
import { beginVisit } from '../../../domains/checkout/visit.ts'
import { mailInviteCode } from '../../../domains/codes/web-codes.ts'
import { lookUpByEmail } from '../../../domains/registration/flow-directories.ts'
import { openingsOf } from '../../../domains/registration/openings.ts'
import { readRegistrationToken } from '../../../domains/registration/registration-token.ts'
import { formatMoment } from '../../../kernel/language/format.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { clientAddress } from '../../http/client-address.ts'
import { ErrorSummary, errorOf, Form, Input, LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { eventPagesOf, Narrow, showAt } from '../event/frame.tsx'
import { enterRegistration, personAt } from '../event/person.ts'
import { AT_EVENT, changeHere, contextAt, type Place, placeOf } from '../event/place.ts'
import { showMissing } from '../lost.tsx'
import { csrfFor, isOwnForm, readSent, type Web, type WebContext } from '../web.ts'
import { ownProgress } from './at.ts'
import { askingContext, deviceOf, letIn } from './let-in.ts'
import { pageSegment } from './view.ts'

const START = `${AT_EVENT}/register/:flow`

interface Start {
  email: string
  code: string
  errors?: readonly FieldError[]
  message?: string
  /** The registration that this browser began. */
  begun: Progress | null
}

/** Where somebody came from, as the links of campaigns say it. */
const campaignOf = (given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      /^utm_[a-z]{1,20}$/.test(name) && value ? [[name.slice(4), value.slice(0, 100)]] : [],
    ),
  )

/** `…/register/<flow>`: email first, or the link that somebody was given. */
/** Each beginning is a row, and may be a mail: as many as a hall full of people behind one address need, not as many as a program can send. */
const BEGINNINGS = { perMinute: 60, burst: 300 }

export function startPages(web: Web) {
  const show = async (c: WebContext, place: Place, start: Start) => {
    const { say, locale } = place.words
    const flow = openFlow(place, c.req.param('flow') ?? '')
    const { flows } = await openingsOf(
      contextAt(web, place),
      { ...place.config, flows: [{ ...flow, visibleForTags: null }] },
      place.facts.now,
    )
    const state = flows[0]?.state ?? 'closed'
    const base = place.paths.register(flow.slug)
    const title = flow.name
    if (state === 'notYet' || state === 'closed' || state === 'full') {
      const why =
        state === 'notYet'
          ? say('event.opensOn', { moment: formatMoment(locale, new Date(flow.opensAt!), place.facts.timezone) })
          : state === 'full'
            ? say('register.full')
            : say('event.closed')
      return showAt(
        web,
        c,
        place,
        { title },
        <Narrow title={say('register.closed')}>
          <p>{why}</p>
          <LinkButton href={place.paths.home}>{say('register.toEvent')}</LinkButton>
        </Narrow>,
      )
    }
    const { errors = [], message } = start
    const csrf = csrfFor(web, c)
    const next = start.begun ? firstUnfinished(start.begun) : null
    const told = errors.map((error) => ({
      ...error,
      message: say(error.path === 'email' ? 'wrong.email' : error.message === 'inviteUsed' ? 'wrong.inviteUsed' : 'wrong.code'),
    }))
    const utm = Object.entries(c.req.query()).filter(([name]) => name.startsWith('utm_'))
    return showAt(
      web,
      c,
      place,
      { title, status: errors.length > 0 || message ? 400 : 200 },
      <Narrow title={title}>
        {start.begun ? (
          <Notice>
            <p>{say('register.goOn')}</p>
            <LinkButton href={`${base}/${next === null ? 'summary' : pageSegment(next)}`} tone="primary">
              {say('register.goOnButton')}
            </LinkButton>
          </Notice>
        ) : null}
        {state === 'waitlist' ? <Notice tone="warning">{say('register.fullWaitlist')}</Notice> : null}
        {flow.inviteOnly ? <p class="muted">{say('register.byInvitation')}</p> : null}
        <ErrorSummary errors={told} message={message ?? (told.length > 0 ? say('wrong.summary') : undefined)} />
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
            error={errorOf(told, 'email')}
            autocomplete="email"
          />
          {flow.inviteOnly ? (
            <Input
              name="code"
              label={say('register.code')}
              optional={say('field.optional')}
              help={say('register.codeHelp')}
              value={start.code}
              error={errorOf(told, 'code')}
              autocomplete="off"
            />
          ) : null}
          <button type="submit" class="button primary large wide">
            {say('register.begin')}
          </button>
        </Form>
        <p class="small muted">
          {say('event.already')} <a href={place.paths.myRegistration}>{say('event.mine')}</a>
        </p>
      </Narrow>,
    )
  }

  /** A link opens its registration once it is taken out of the address, so that it is passed on to nobody. */
  const exchange = async (c: WebContext, place: Place, token: string) => {
    const flowSlug = c.req.param('flow') ?? ''
    const base = place.paths.register(flowSlug)
    const ctx = contextAt(web, place)
    const read = await readRegistrationToken(ctx, token, { audience: 'registration', eventId: place.event.id, flowSlug })
    c.header('referrer-policy', 'no-referrer')
    c.header('cache-control', 'no-store')
    if (read.state === 'expired') return expired(c, place, base)
    if (read.state === 'invalid') return c.redirect(base, 303)
    const progress = await ownProgress(ctx, read.participantId)
    if (!progress || progress.row.email === null || progress.row.status !== 'incomplete') return c.redirect(place.paths.signIn, 303)
    await letIn(web, c, place, progress)
    return c.redirect(base, 303)
  }

  /** Whoever comes by invitation alone is looked up when they have proved to read the mailbox. */
  const lookUpAtStart = (place: Place, flowSlug: string, email: string, code: string) => {
    const { directory, inviteOnly } = openFlow(place, flowSlug)
    return directory === null || (inviteOnly && code === '')
      ? null
      : lookUpByEmail(askingContext(web, place), place, directory, email.trim())
  }

  const expired = (c: WebContext, place: Place, base: string) => {
    const { say } = place.words
    return showAt(
      web,
      c,
      place,
      { title: say('register.expired.title'), status: 410, referrer: 'no-referrer' },
      <Narrow title={say('register.expired.title')}>
        <p>{say('register.expired.text')}</p>
        <Form action={place.paths.signIn} csrf={csrfFor(web, c)} class="stack">
          <input type="hidden" name="next" value={base} />
          <Input name="email" type="email" inputmode="email" label={say('register.email')} autocomplete="email" />
          <button type="submit" class="button primary large wide">
            {say('register.expired.button')}
          </button>
        </Form>
      </Narrow>,
    )
  }

  const begunHere = async (c: WebContext, place: Place): Promise<Progress | null> => {
    const person = await personAt(web, c, place)
    const progress = person?.participantId ? await ownProgress(contextAt(web, place), person.participantId) : null
    return progress?.row.status === 'incomplete' && progress.flow.slug === c.req.param('flow') ? progress : null
  }

  const get = async (c: WebContext) => {
    const place = await placeOf(web, c)
    if (!place) return showMissing(web, c)
    if (place.event.status === 'archived') return c.redirect(place.paths.home, 303)
    const token = c.req.query('token')
    if (token !== undefined) return exchange(c, place, token)
    const begun = await begunHere(c, place)
    // Whoever came by a link or was here before goes on at once where they were.
    if (begun && c.req.query('anew') === undefined) {
      const next = firstUnfinished(begun)
      return c.redirect(`${place.paths.register(begun.flow.slug)}/${next === null ? 'summary' : pageSegment(next)}`, 303)
    }
    return show(c, place, { email: c.req.query('email') ?? '', code: c.req.query('code') ?? '', begun })
  }

  const post = async (c: WebContext) => {
    const place = await placeOf(web, c)
    if (!place) return showMissing(web, c)
    const sent = await readSent(c)
    const { email = '', code = '' } = sent ?? {}
    if (!sent || !isOwnForm(web, c, sent)) return show(c, place, { email, code, begun: null, message: place.words.say('wrong.expired') })
    const from = clientAddress(c.env.incoming, web.trustedProxies)
    if (!(await takeFromBucket(web.road.database.pool, `register:${from}`, BEGINNINGS)))
      return show(c, place, { email, code, begun: null, message: place.words.say('register.tooMany') })
    const flowSlug = c.req.param('flow') ?? ''
    const looked = await lookUpAtStart(place, flowSlug, email, code)
    if (looked?.followed === 'block') return show(c, place, { email, code, begun: null, message: place.words.say('register.lookupStops') })
    const visit = { device: deviceOf(c), utm: campaignOf(sent) } as const
    const begun = await changeHere(web, place, { action: 'begin registration' }, async (ctx) => {
      const result = await begin(ctx, { flowSlug, email, code, locale: place.words.locale, looked })
      if (result.kind === 'begun') await beginVisit(ctx, result.participantId, visit)
      if (result.kind === 'asksCode' && result.codeTo !== null)
        await mailInviteCode(ctx, { email: result.codeTo, flow: result.flow, locale: place.words.locale })
      return result
    })
    if (begun.kind === 'refused') return show(c, place, { email, code, begun: null, errors: begun.errors })
    if (begun.kind === 'asksCode')
      return c.redirect(`${place.paths.register(flowSlug)}/invited?${new URLSearchParams({ email: email.trim() }).toString()}`, 303)
    await enterRegistration(web, c, place, begun)
    return c.redirect(place.paths.register(flowSlug), 303)
  }

  return eventPagesOf(web).get(START, get).post(START, post)
}
