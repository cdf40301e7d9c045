import { findOrder } from '../domains/orders/orders.ts'
import { recordManualPayment } from '../domains/orders/record-manual-payment.ts'
import { refundThroughProcessor } from '../domains/payments/refunds.ts'
import { addParticipant, type NewRegistration } from '../domains/registration/add.ts'
import type { Answers } from '../domains/registration/answers.ts'
import { sendRegistrationStatusEmail } from '../domains/registration/confirmation.ts'
import type { ParticipantRow } from '../domains/registration/participant-shape.ts'
import type { RegistrationContext } from '../domains/registration/event-snapshot.ts'
import { endFlowVisit, recordPageVisit, openFlowVisit, recordSkippedPage } from '../domains/registration/flows/visits.ts'
import { saveRegistrationProgress } from '../domains/checkout/progress.ts'
import { replaceSessionEnrolments } from '../domains/sessions/enrol.ts'
import type { EventSummaryRow } from '../kernel/context.ts'
import { toMoney } from '../kernel/money.ts'
import type { DemoTeam } from './colleagues.ts'
import type { Registrant } from './people.ts'
import { runDemoEventChange, runDemoParticipantChange, type DemoSeedContext } from './stage.ts'
import type { DemoHistoryClock } from './story-clock.ts'

/** The demo's conference with its hotels and sessions, before the first registration. */
export interface DemoSummit {
  event: EventSummaryRow
  versionId: string | null
  hotels: ReadonlyMap<string, string>
  sessions: readonly string[]
}

/** The state while the demo's history is created. */
export interface DemoHistory {
  stage: DemoSeedContext
  time: DemoHistoryClock
  team: DemoTeam
  summit: DemoSummit
  /** Registrations so far, by email address. */
  registered: Map<string, DemoRegistration>
}

export interface DemoRegistration {
  participantId: string
  status: ParticipantRow['status']
  invoice: { number: string; total: number } | null
}

const DEFAULT_REGISTRATION = {
  status: 'complete',
  group: null,
  tags: [],
  skipRequired: false,
  joinWaitlist: false,
  overrideCapacity: false,
  overrideClosed: false,
  source: 'web',
} as const satisfies Omit<NewRegistration, 'flowSlug' | 'data'>

/** The answers a participant enters in the form, by binding (field name, such as `@custom.diet`). */
export function buildDemoRegistrationAnswers({ hotels }: Pick<DemoSummit, 'hotels'>, who: Registrant): Answers {
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
    ...Object.fromEntries(who.products.map((code) => [`@product.${code}`, 1])),
    ...(who.products.includes('t-shirt') ? { '@custom.shirt-size': 'm' } : {}),
    ...(hotel === undefined
      ? {}
      : {
          '@housing.hotelId': hotels.get(hotel),
          '@housing.roomTypeCode': roomType,
          '@housing.checkIn': checkIn,
          '@housing.checkOut': checkOut,
          ...(who.waitsForRoom ? { '@housing.waitlist': true } : {}),
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

/** Adds a registration through the website or by a team member, with its confirmation email. */
export async function registerDemoAttendee(history: DemoHistory, who: Registrant): Promise<void> {
  const { stage, team, summit } = history
  const asked = { ...DEFAULT_REGISTRATION, flowSlug: 'attendee', data: buildDemoRegistrationAnswers(summit, who), joinWaitlist: true }
  const byHand = who.byHand
  if (byHand) {
    await runDemoEventChange(stage, summit.event, { colleague: team.amira, app: 'Claude', tool: 'add_participant' }, (ctx) =>
      addRegistration(ctx, history, who, { ...asked, tags: byHand.tags, source: 'organizer' }),
    )
    return
  }
  await runDemoParticipantChange(stage, summit.event, { email: who.email, action: 'finish registration' }, async (ctx) => {
    const visit = await visitPages(ctx, history, who, 'checkout')
    const { participantId, status } = await addRegistration(ctx, history, who, asked)
    await endFlowVisit(ctx, visit, status === 'waitlisted' ? 'waitlisted' : 'completed', participantId)
  })
}

/** Registers an exhibitor or speaker as a team member does in the console: required fields of the form may be missing. */
export async function registerParticipantByStaff(
  history: DemoHistory,
  who: Registrant,
  { flowSlug, by, tags = [] }: { flowSlug: 'exhibitor' | 'speaker'; by: keyof DemoTeam; tags?: readonly string[] },
): Promise<void> {
  const { stage, team, summit } = history
  const { [`@product.${who.pass}`]: _pass, ...others } = buildDemoRegistrationAnswers(summit, who)
  const asked = { ...DEFAULT_REGISTRATION, flowSlug, data: others, tags, skipRequired: true, source: 'organizer' as const }
  await runDemoEventChange(stage, summit.event, { colleague: team[by], app: 'console', tool: 'add_participant' }, (ctx) =>
    addRegistration(ctx, history, who, asked),
  )
}

async function addRegistration(
  ctx: RegistrationContext,
  { time, summit, registered }: DemoHistory,
  who: Registrant,
  asked: NewRegistration,
): Promise<DemoRegistration> {
  const { participant, invoice } = await addParticipant(ctx, asked)
  const wanted = who.hears.map((at) => summit.sessions[at]!)
  if (wanted.length > 0) await replaceSessionEnrolments(ctx, participant, wanted, { mayWait: () => true })
  if (isEmailed(time, getRegistrationTime(time, who))) await sendRegistrationStatusEmail(ctx, participant.id)
  const done = { participantId: participant.id, status: participant.status, invoice }
  registered.set(who.email, done)
  return done
}

/** Adds an unfinished registration that stopped at this page. */
export const addUnfinishedRegistration = (history: DemoHistory, who: Registrant, page: string): Promise<void> =>
  runDemoParticipantChange(history.stage, history.summit.event, { email: who.email, action: 'begin registration' }, async (ctx) => {
    const data = Object.fromEntries(
      Object.entries(buildDemoRegistrationAnswers(history.summit, who)).filter(([binding]) => binding.startsWith('@participant.')),
    )
    const { participant } = await addParticipant(ctx, { ...DEFAULT_REGISTRATION, flowSlug: 'attendee', data, status: 'incomplete' })
    const visit = await visitPages(ctx, history, who, page, participant.id)
    await saveRegistrationProgress(ctx, participant, {
      visit_id: visit,
      pages_done: PAGES.slice(0, PAGES.indexOf(page)).filter((code) => code !== WELCOME),
    })
  })

const WELCOME = 'welcome'
const PAGES = ['contact', 'needs', WELCOME, 'tickets', 'program', 'checkout']

/** Records a visit of the form's pages, one minute per page. */
async function visitPages(
  ctx: RegistrationContext,
  { time, summit }: DemoHistory,
  who: Registrant,
  last: string,
  participantId: string | null = null,
): Promise<string> {
  const pages = PAGES.slice(0, PAGES.indexOf(last) + 1)
  const arrived = getRegistrationTime(time, who)
  const device = who.first.length % 3 === 0 ? 'mobile' : 'desktop'
  await time.moveTo(minutesAfter(arrived, -pages.length))
  const visit = await openFlowVisit(ctx, { flowSlug: 'attendee', versionId: summit.versionId, page: pages[0]!, device, participantId })
  for (const [i, page] of pages.entries()) {
    if (i === 0) continue
    await time.moveTo(minutesAfter(arrived, i - pages.length))
    if (page === WELCOME && !who.topics) await recordSkippedPage(ctx, visit, page)
    else await recordPageVisit(ctx, visit, page)
  }
  await time.moveTo(arrived)
  return visit
}

const minutesAfter = (instant: Date, minutes: number) => new Date(instant.getTime() + minutes * 60_000)

export const getRegistrationTime = (time: DemoHistoryClock, { on: [days, at] }: Registrant): Date =>
  days === 0 ? time.minutesBefore(Number(at)) : time.daysBefore(days, at)

/**
 * Registrations older than this many days get no email: each email renders an invoice, and dozens of them would slow down the demo's
 * creation.
 */
const EMAILED_DAYS = 14

const isEmailed = (time: DemoHistoryClock, at: Date) => at >= time.daysBefore(EMAILED_DAYS, '00:00')

const PAYMENT_DEFAULTS = { kind: 'payment', allowOverpayment: false, allowDuplicate: false } as const

const DAY_MINUTES = 24 * 60

/** The payment time: twenty minutes after the registration, plus the days a bank transfer took. */
export const getPaymentTime = (time: DemoHistoryClock, who: Registrant): Date =>
  minutesAfter(getRegistrationTime(time, who), who.pays![1] * DAY_MINUTES + 20)

/** Records full payment of an invoice, by bank transfer or card terminal. */
export async function recordPayment(history: DemoHistory, who: Registrant): Promise<void> {
  const { invoice } = history.registered.get(who.email)!
  const [method, days] = who.pays!
  if (invoice === null) throw new Error(`${who.email} has no invoice`)
  await payInvoice(history, { ...invoice, method, sendReceipt: days > 0 && isEmailed(history.time, getPaymentTime(history.time, who)) })
}

export const payInvoice = (
  { stage, team, summit }: Pick<DemoHistory, 'stage' | 'team' | 'summit'>,
  { number, total, method, sendReceipt }: { number: string; total: number; method: 'bank' | 'card'; sendReceipt: boolean },
): Promise<unknown> =>
  runDemoEventChange(stage, summit.event, { colleague: team.jonas, app: 'console', tool: 'record_manual_payment' }, (ctx) =>
    recordManualPayment(
      ctx,
      {
        ...PAYMENT_DEFAULTS,
        sendReceipt,
        amount: toMoney(total, ctx.event.currency),
        invoiceNumbers: [number],
        method,
        reference: `${number} Acme Summit`,
      },
      refundThroughProcessor,
    ),
  )

/** Refunds a participant's credit by bank transfer. */
export const refundCredit = ({ stage, team, summit, registered }: DemoHistory, who: Registrant): Promise<unknown> =>
  runDemoEventChange(stage, summit.event, { colleague: team.jonas, app: 'console', tool: 'record_manual_payment' }, async (ctx) => {
    const order = (await findOrder(ctx, { participantId: registered.get(who.email)!.participantId }))!
    const amount = toMoney(-order.unapplied, ctx.event.currency)
    const refund = {
      ...PAYMENT_DEFAULTS,
      kind: 'refund',
      sendReceipt: true,
      amount,
      orderNumber: order.number,
      method: 'bank',
      reference: `${order.number} refund`,
    } as const
    return recordManualPayment(ctx, refund, refundThroughProcessor)
  })
