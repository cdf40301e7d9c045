import { findOrderOf } from '../domains/orders/orders.ts'
import { recordManualPayment } from '../domains/orders/record-manual-payment.ts'
import { refundThroughProcessor } from '../domains/payments/refunds.ts'
import { addParticipant, type NewRegistration } from '../domains/registration/add.ts'
import type { Answers } from '../domains/registration/answers.ts'
import { sendConfirmation } from '../domains/registration/confirmation.ts'
import type { ParticipantRow } from '../domains/registration/participant-shape.ts'
import type { AtEvent } from '../domains/registration/scene.ts'
import { endVisit, enterPage, openVisit, skipPage } from '../domains/registration/visits.ts'
import { keepProgress } from '../domains/checkout/progress.ts'
import { chooseSessions } from '../domains/sessions/enrol.ts'
import type { EventHead } from '../kernel/context.ts'
import { toMoney } from '../kernel/money.ts'
import type { Team } from './colleagues.ts'
import type { Registrant } from './people.ts'
import { doAtEvent, doOnPages, type Stage } from './stage.ts'
import type { StoryTime } from './story-time.ts'

/** The conference as far as it was set up before anybody registered. */
export interface Summit {
  event: EventHead
  versionId: string | null
  hotels: ReadonlyMap<string, string>
  sessions: readonly string[]
}

/** What the story is told with. */
export interface Telling {
  stage: Stage
  time: StoryTime
  team: Team
  summit: Summit
  /** Who has registered so far, by address. */
  registered: Map<string, Registered>
}

export interface Registered {
  participantId: string
  status: ParticipantRow['status']
  invoice: { number: string; total: number } | null
}

const AS_ASKED = {
  status: 'complete',
  group: null,
  tags: [],
  skipRequired: false,
  joinWaitlist: false,
  overrideCapacity: false,
  overrideClosed: false,
  source: 'web',
} as const satisfies Omit<NewRegistration, 'flowSlug' | 'data'>

/** What somebody enters on the pages of a form, by binding. */
export function answersOf({ hotels }: Pick<Summit, 'hotels'>, who: Registrant): Answers {
  const [hotel, roomType, checkIn, checkOut] = who.room ?? []
  return {
    '@participant.firstName': who.first,
    '@participant.lastName': who.last,
    '@participant.email': who.email,
    '@participant.company': who.company,
    '@participant.jobTitle': who.job,
    '@participant.country': who.country,
    '@custom.diet': who.diet,
    '@custom.first-time': who.topics !== undefined,
    ...(who.topics ? { '@custom.topics': who.topics } : {}),
    [`@product.${who.pass}`]: 1,
    ...Object.fromEntries(who.buys.map((code) => [`@product.${code}`, 1])),
    ...(who.buys.includes('t-shirt') ? { '@custom.shirt-size': 'm' } : {}),
    ...(hotel === undefined
      ? {}
      : {
          '@housing.hotelId': hotels.get(hotel),
          '@housing.roomTypeCode': roomType,
          '@housing.checkIn': checkIn,
          '@housing.checkOut': checkOut,
        }),
    ...Object.fromEntries(
      (who.guests ?? []).flatMap(([first, last], i) => [
        [`@guest.${i + 1}.type`, 'partner'],
        [`@guest.${i + 1}.firstName`, first],
        [`@guest.${i + 1}.lastName`, last],
      ]),
    ),
    ...(who.discount ? { '@discount.code': who.discount } : {}),
    '@policy.conduct': true,
    '@policy.terms': true,
  }
}

/** A registration as it comes in: by the pages, or by the hand of a colleague. The mail about it goes with it. */
export async function register(telling: Telling, who: Registrant): Promise<void> {
  const { stage, team, summit } = telling
  const asked = { ...AS_ASKED, flowSlug: 'attendee', data: answersOf(summit, who), joinWaitlist: true }
  const byHand = who.byHand
  if (byHand) {
    await doAtEvent(stage, summit.event, { colleague: team.amira, app: 'Claude', tool: 'add_participant' }, (ctx) =>
      enter(ctx, telling, who, { ...asked, tags: byHand.tags, source: 'organizer' }),
    )
    return
  }
  await doOnPages(stage, summit.event, { email: who.email, action: 'finish registration' }, async (ctx) => {
    const visit = await visitPages(ctx, telling, who, 'checkout')
    const { participantId, status } = await enter(ctx, telling, who, asked)
    await endVisit(ctx, visit, status === 'waitlisted' ? 'waitlisted' : 'completed', participantId)
  })
}

/** Exhibitors and speakers are registered by colleagues, who ask for less than the pages do. */
export async function registerFor(
  telling: Telling,
  who: Registrant,
  { flowSlug, by, tags = [] }: { flowSlug: 'exhibitor' | 'speaker'; by: keyof Team; tags?: readonly string[] },
): Promise<void> {
  const { stage, team, summit } = telling
  const { [`@product.${who.pass}`]: _pass, ...others } = answersOf(summit, who)
  const asked = { ...AS_ASKED, flowSlug, data: others, tags, skipRequired: true, source: 'organizer' as const }
  await doAtEvent(stage, summit.event, { colleague: team[by], app: 'console', tool: 'add_participant' }, (ctx) =>
    enter(ctx, telling, who, asked),
  )
}

async function enter(ctx: AtEvent, { time, summit, registered }: Telling, who: Registrant, asked: NewRegistration): Promise<Registered> {
  const { participant, invoice } = await addParticipant(ctx, asked)
  const wanted = who.hears.map((at) => summit.sessions[at]!)
  if (wanted.length > 0) await chooseSessions(ctx, participant, wanted, { mayWait: () => true })
  if (isMailed(time, momentOf(time, who))) await sendConfirmation(ctx, participant.id)
  const done = { participantId: participant.id, status: participant.status, invoice }
  registered.set(who.email, done)
  return done
}

/** Somebody who does not come to the end: the page where they stopped is the one they come back to. */
export const leaveUnfinished = (telling: Telling, who: Registrant, page: string): Promise<void> =>
  doOnPages(telling.stage, telling.summit.event, { email: who.email, action: 'begin registration' }, async (ctx) => {
    const data = Object.fromEntries(
      Object.entries(answersOf(telling.summit, who)).filter(([binding]) => binding.startsWith('@participant.')),
    )
    const { participant } = await addParticipant(ctx, { ...AS_ASKED, flowSlug: 'attendee', data, status: 'incomplete' })
    const visit = await visitPages(ctx, telling, who, page, participant.id)
    await keepProgress(ctx, participant, {
      visit_id: visit,
      pages_done: PAGES.slice(0, PAGES.indexOf(page)).filter((code) => code !== WELCOME),
    })
  })

const WELCOME = 'welcome'
const PAGES = ['contact', 'needs', WELCOME, 'tickets', 'program', 'checkout']

/** The way through the form, a minute for each page. */
async function visitPages(
  ctx: AtEvent,
  { time, summit }: Telling,
  who: Registrant,
  last: string,
  participantId: string | null = null,
): Promise<string> {
  const pages = PAGES.slice(0, PAGES.indexOf(last) + 1)
  const arrived = momentOf(time, who)
  const device = who.first.length % 3 === 0 ? 'mobile' : 'desktop'
  await time.moveTo(minutesAfter(arrived, -pages.length))
  const visit = await openVisit(ctx, { flowSlug: 'attendee', versionId: summit.versionId, page: pages[0]!, device, participantId })
  for (const [i, page] of pages.entries()) {
    if (i === 0) continue
    await time.moveTo(minutesAfter(arrived, i - pages.length))
    if (page === WELCOME && !who.topics) await skipPage(ctx, visit, page)
    else await enterPage(ctx, visit, page)
  }
  await time.moveTo(arrived)
  return visit
}

const minutesAfter = (instant: Date, minutes: number) => new Date(instant.getTime() + minutes * 60_000)

export const momentOf = (time: StoryTime, { on: [days, at] }: Registrant): Date =>
  days === 0 ? time.minutesBefore(Number(at)) : time.daysBefore(days, at)

/** Nobody was mailed before: each mail has an invoice to be drawn, and dozens of them would keep whoever starts the demo waiting. */
const MAILED_DAYS = 14

const isMailed = (time: StoryTime, at: Date) => at >= time.daysBefore(MAILED_DAYS, '00:00')

const RECEIVED = { kind: 'payment', allowOverpayment: false, allowDuplicate: false } as const

const DAY_MINUTES = 24 * 60

/** Some minutes later at the terminal, or as many days later as a transfer took. */
export const paidAt = (time: StoryTime, who: Registrant): Date => minutesAfter(momentOf(time, who), who.pays![1] * DAY_MINUTES + 20)

/** An invoice that is paid in full: the money came to the bank, or was taken at the terminal of the office. */
export async function pay(telling: Telling, who: Registrant): Promise<void> {
  const { invoice } = telling.registered.get(who.email)!
  const [method, days] = who.pays!
  if (invoice === null) throw new Error(`${who.email} has no invoice`)
  await payInvoice(telling, { ...invoice, method, sendReceipt: days > 0 && isMailed(telling.time, paidAt(telling.time, who)) })
}

export const payInvoice = (
  { stage, team, summit }: Pick<Telling, 'stage' | 'team' | 'summit'>,
  { number, total, method, sendReceipt }: { number: string; total: number; method: 'bank' | 'card'; sendReceipt: boolean },
): Promise<unknown> =>
  doAtEvent(stage, summit.event, { colleague: team.jonas, app: 'console', tool: 'record_manual_payment' }, (ctx) =>
    recordManualPayment(
      ctx,
      {
        ...RECEIVED,
        sendReceipt,
        amount: toMoney(total, ctx.event.currency),
        invoiceNumbers: [number],
        method,
        reference: `${number} Acme Summit`,
      },
      refundThroughProcessor,
    ),
  )

/** What was credited to somebody goes back to their bank. */
export const payBack = ({ stage, team, summit, registered }: Telling, who: Registrant): Promise<unknown> =>
  doAtEvent(stage, summit.event, { colleague: team.jonas, app: 'console', tool: 'record_manual_payment' }, async (ctx) => {
    const order = (await findOrderOf(ctx, { participantId: registered.get(who.email)!.participantId }))!
    const amount = toMoney(-order.unapplied, ctx.event.currency)
    const refund = {
      ...RECEIVED,
      kind: 'refund',
      sendReceipt: true,
      amount,
      orderNumber: order.number,
      method: 'bank',
      reference: `${order.number} refund`,
    } as const
    return recordManualPayment(ctx, refund, refundThroughProcessor)
  })
