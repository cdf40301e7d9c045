import { beginInvited, openFlow } from '../../../domains/checkout/begin.ts'
import { isInviteCode } from '../../../domains/codes/web-codes.ts'
import { Actions, Button, ErrorSummary, Form } from '../components/forms.tsx'
import { eventPagesOf, Narrow, showAt } from '../event/frame.tsx'
import { AnotherCode, CodeInput } from '../event/sign-in.tsx'
import { actingAs } from '../event/person.ts'
import { AT_EVENT, changeHere, contextAt, type Place, placeOf } from '../event/place.ts'
import { showMissing } from '../lost.tsx'
import { csrfFor, isOwnForm, readSent, type Web, type WebContext } from '../web.ts'
import { ownProgress } from './at.ts'
import { letIn } from './let-in.ts'

const INVITED = `${AT_EVENT}/register/:flow/invited`

/** `…/register/<flow>/invited`: the code that somebody on the list was mailed. Whoever is on none sees the same, whatever they type. */
export function invitedPages(web: Web) {
  const show = (c: WebContext, place: Place, email: string, wrong?: string) => {
    const { say } = place.words
    const base = place.paths.register(openFlow(place, c.req.param('flow') ?? '').slug)
    const csrf = csrfFor(web, c)
    return showAt(
      web,
      c,
      place,
      { title: say('register.mailed.title'), status: wrong ? 400 : 200, referrer: 'no-referrer' },
      <Narrow title={say('register.mailed.title')}>
        <p class="muted">{say('register.mailed.text', { email })}</p>
        <Form action={`${base}/invited`} csrf={csrf} class="stack">
          <ErrorSummary errors={wrong ? [{ path: 'code', message: wrong }] : []} message={wrong ? say('signIn.lookAgain') : undefined} />
          <input type="hidden" name="email" value={email} />
          <CodeInput place={place} message={wrong} />
          <Actions>
            <Button tone="primary" wide>
              {say('register.begin')}
            </Button>
          </Actions>
        </Form>
        <AnotherCode place={place} path={base} csrf={csrf} asked={{ email }} />
      </Narrow>,
    )
  }

  const get = async (c: WebContext) => {
    const place = await placeOf(web, c)
    if (!place) return showMissing(web, c)
    const email = (c.req.query('email') ?? '').trim()
    return email === '' ? c.redirect(place.paths.register(c.req.param('flow') ?? ''), 303) : show(c, place, email)
  }

  const post = async (c: WebContext) => {
    const place = await placeOf(web, c)
    if (!place) return showMissing(web, c)
    const sent = await readSent(c)
    const flowSlug = c.req.param('flow') ?? ''
    const { code = '', email: typed = '' } = sent ?? {}
    const email = typed.trim()
    if (!sent || !isOwnForm(web, c, sent)) return c.redirect(place.paths.register(flowSlug), 303)
    const digits = code.replaceAll(/\s/g, '')
    if (!/^\d{6}$/.test(digits)) return show(c, place, email, place.words.say('signIn.sixDigits'))
    const by = { action: 'begin registration', actor: actingAs(place, email) }
    const begun = await changeHere(web, place, by, async (ctx) =>
      (await isInviteCode(ctx, { email, code: digits }))
        ? { as: await beginInvited(ctx, { flowSlug, email, locale: place.words.locale }) }
        : null,
    )
    if (begun === null) return show(c, place, email, place.words.say('register.mailed.wrong'))
    const progress = begun.as && (await ownProgress(contextAt(web, place), begun.as.participantId))
    if (!progress) return c.redirect(place.paths.signIn, 303)
    await letIn(web, c, place, progress)
    return c.redirect(place.paths.register(flowSlug), 303)
  }

  return eventPagesOf(web).get(INVITED, get).post(INVITED, post)
}
