import { finish, type Finished } from '../../../domains/checkout/finish.ts'
import { heldUntil, holdLonger } from '../../../domains/checkout/hold.ts'
import { methodOf } from '../../../domains/checkout/methods.ts'
import { firstUnfinished, progressOf } from '../../../domains/checkout/progress.ts'
import { leastNow, payNow } from '../../../domains/checkout/part.ts'
import { FIELDS, type Sent } from '../../../domains/checkout/sent-page.ts'
import { METHODS } from '../../../domains/checkout/tables.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { openCheckout } from '../../payments/checkout.ts'
import { ErrorSummary, Form } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { eventPagesOf, showAt } from '../event/frame.tsx'
import { AT_EVENT, changeHere } from '../event/place.ts'
import { everyValue } from '../form-values.ts'
import { csrfFor, readForm, type Web, type WebContext } from '../web.ts'
import { AnswersTable } from './answers.tsx'
import { type Standing, standingAt } from './at.ts'
import { fullInWords } from './flow-pages.tsx'
import { Methods } from './methods.tsx'
import { Order } from './order.tsx'
import { readView } from './read-view.ts'
import { Bar, Head, Hold } from './steps.tsx'
import { moneyText, pageSegment, type View } from './view.ts'

const BASE = `${AT_EVENT}/register/:flow`
const DIGEST = '_seen'

interface Shown {
  message?: string
  errors?: readonly FieldError[]
  status?: 200 | 400
}

/** What the last button says: a verb, with the amount when money moves. */
function lastButton(view: View): string {
  const { place, quote, progress, methods } = view
  const { say } = place.words
  if (quote.waits) return say('register.finishWaitlist')
  if (quote.due === 0) return say('register.finish')
  const method = methodOf(progress, methods)
  if (method === null) return say('register.toPay')
  return method === 'card'
    ? say('register.payAmount', { amount: moneyText(place, payNow(progress, quote.due)) })
    : say('register.finishInvoice')
}

/** Where the way or the amount is chosen on the page itself, the button cannot name it. */
function payButton(view: View): string {
  const { place, quote, progress, methods } = view
  const { say } = place.words
  if (methods.includes('card') && leastNow(progress, quote.due) !== null) return say('register.toPay')
  return methods.length === 1 ? lastButton(view) : say('register.payAmount', { amount: moneyText(place, quote.due) })
}

/** `…/register/<flow>/summary` and `/pay`: everything once more, then the end, by way of the money where there is any. */
export function summaryPages(web: Web) {
  const showSummary = async (
    c: WebContext,
    { place, ctx, progress, base }: Standing,
    { message, errors = [], status = 200 }: Shown = {},
  ) => {
    const { say } = place.words
    const view = await readView(ctx, place, progress, { errors })
    const csrf = csrfFor(web, c)
    const until = await heldUntil(ctx, progress.row.id)
    const last = progress.pages.at(-1)
    return showAt(
      web,
      c,
      place,
      { title: say('register.summary'), status, leavesSite: view.methods.includes('card') },
      <div class="checkout two">
        <Head view={view} current={null} title={say('register.summary')} message={message} />
        {view.quote.waits ? <Notice tone="warning">{say('register.fullWaitlist')}</Notice> : null}
        <Hold view={view} until={until} action={`${base}/summary`} csrf={csrf} />
        <Form action={`${base}/summary`} csrf={csrf} class="checkout-main" id="last">
          <input type="hidden" name={DIGEST} value={view.quote.digest} />
          <Card title={say('register.answers')}>
            <AnswersTable view={view} />
          </Card>
        </Form>
        <Order view={view} update={false} />
        <Bar view={view} back={last ? `${base}/${pageSegment(last.code)}` : null}>
          <button type="submit" form="last" class="button primary large" name="do" value="finish">
            {lastButton(view)}
          </button>
        </Bar>
      </div>,
    )
  }

  const showPay = async (c: WebContext, { place, ctx, progress, base }: Standing, { message, errors = [], status = 200 }: Shown = {}) => {
    const { say } = place.words
    const view = await readView(ctx, place, progress, { errors })
    const csrf = csrfFor(web, c)
    const failed = c.req.query('failed') !== undefined
    return showAt(
      web,
      c,
      place,
      { title: say('register.pay'), status, leavesSite: true },
      <div class="checkout two">
        <div class="head">
          <h1>{say('register.pay')}</h1>
          {failed ? <Notice tone="danger">{say('register.payFailed')}</Notice> : null}
          <ErrorSummary message={message} errors={view.errors} />
        </div>
        <Hold view={view} until={await heldUntil(ctx, progress.row.id)} action={`${base}/pay`} csrf={csrf} />
        <Form action={`${base}/pay`} csrf={csrf} class="checkout-main" id="last">
          <input type="hidden" name={DIGEST} value={view.quote.digest} />
          <section class="card">
            <div class="card-body">
              <Methods view={view} chosen={methodOf(progress, view.methods) ?? view.methods[0]!} />
            </div>
          </section>
        </Form>
        <Order view={view} update={false} />
        <Bar view={view} back={`${base}/summary`}>
          <button type="submit" form="last" class="button primary large" name="do" value="finish">
            {payButton(view)}
          </button>
        </Bar>
      </div>,
    )
  }

  /** Where somebody stands who is not through yet, and whether this page is theirs. */
  const ready = async (c: WebContext): Promise<Standing | Response> => {
    const standing = await standingAt(web, c)
    if (standing instanceof Response) return standing
    const page = firstUnfinished(standing.progress)
    return page === null ? standing : c.redirect(`${standing.base}/${pageSegment(page)}`, 303)
  }

  const send = (at: 'summary' | 'pay') => async (c: WebContext) => {
    const standing = await ready(c)
    if (standing instanceof Response) return standing
    const { place, progress, actor, base } = standing
    const { say } = place.words
    const again = at === 'pay' ? showPay : showSummary
    const form = await readForm(web, c)
    if (!form) return again(c, standing, { message: say('wrong.expired'), status: 400 })
    const participantId = progress.row.id
    if (form['do'] === 'longer') {
      await changeHere(web, place, { action: 'hold places longer', actor }, async (ctx) =>
        holdLonger(ctx, await progressOf(ctx, participantId)),
      )
      return c.redirect(`${base}/${at}`, 303)
    }
    const finished = await tryToFinish(standing, form[DIGEST] ?? '', (name) => everyValue(form, name))
    switch (finished.kind) {
      case 'done':
        return c.redirect(`${base}/done`, 303)
      case 'chooses':
        return c.redirect(`${base}/pay`, 303)
      case 'pays':
        return toProcessor(c, standing, finished.begun)
      case 'unfinished':
        return c.redirect(`${base}/${pageSegment(finished.page)}`, 303)
      case 'changed': {
        const now = { ...standing, progress: await progressOf(standing.ctx, participantId) }
        return again(c, now, { status: 400, message: finished.full === null ? say('register.changed') : fullInWords(now, finished.full) })
      }
      case 'refused':
        return again(c, standing, { status: 400, errors: finished.errors, message: say('wrong.summary') })
    }
  }

  const tryToFinish = async ({ place, progress, actor, base }: Standing, digest: string, sent: Sent): Promise<Finished> => {
    const method = METHODS.find((one) => one === sent(FIELDS.method)[0]) ?? null
    const address = `${web.road.baseUrl}${base}`
    const urls = { returnUrl: `${address}/pay/return`, cancelUrl: `${address}/pay/return` }
    try {
      return await changeHere(web, place, { action: 'finish registration', actor }, (ctx) =>
        finish(ctx, { participantId: progress.row.id, digest, method, sent, urls }),
      )
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      return { kind: 'refused', errors: error.details.fields ?? [{ path: '', message: error.message }] }
    }
  }

  const toProcessor = async (c: WebContext, { place, base }: Standing, begun: Parameters<typeof openCheckout>[2]) => {
    const { url } = await openCheckout(web.road, { tenantId: place.tenantId, eventId: place.event.id }, begun)
    return c.redirect(url ?? `${base}/pay/return?charge=${begun.chargeId}`, 303)
  }

  const getSummary = async (c: WebContext) => {
    const standing = await ready(c)
    return standing instanceof Response ? standing : showSummary(c, standing)
  }
  const getPay = async (c: WebContext) => {
    const standing = await ready(c)
    return standing instanceof Response ? standing : showPay(c, standing)
  }
  return eventPagesOf(web)
    .get(`${BASE}/summary`, getSummary)
    .post(`${BASE}/summary`, send('summary'))
    .get(`${BASE}/pay`, getPay)
    .post(`${BASE}/pay`, send('pay'))
}
