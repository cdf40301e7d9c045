import { AppError } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import type { DirectoryFactsByConnection } from '../configuration/flow/collected-answers.ts'
import { type TestRunGoal, createTestRunGoalCheck, toPagePointer } from '../configuration/flow/goals.ts'
import type { PlannedTestParticipant } from '../configuration/flow/plan.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { renderEventEmail } from '../messages/event-mail/send.ts'
import { payInvoiceByTestCard } from '../orders/test-payments.ts'
import { sendRegistrationStatusEmail } from '../registration/confirmation.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import { markParticipantsOfTestRun } from '../registration/remove-test-participants.ts'
import type { RegistrationContext, EventSnapshot } from '../registration/event-snapshot.ts'
import { submitRegistration, type SubmissionResult } from '../registration/submit.ts'
import { listSimulatedDirectoryTags, type SimulatedFlowResult, simulateFlowPages } from './visit-pages.ts'
import { computeReferenceTotal } from './reference-price.ts'
import type { TestParticipantResult, RehearsalFinding } from './report-shape.ts'

export interface RehearsalContext {
  runId: string
  snapshot: EventSnapshot
  flow: Flow
  connections: DirectoryFactsByConnection
  goals: readonly TestRunGoal[]
}

export interface TestParticipantOutcome {
  outcome: 'completed' | 'blocked' | 'waitlisted' | 'failed'
  /** The order total, in minor units. */
  total: number
  result: TestParticipantResult
}

type AddFinding = (code: string, level: RehearsalFinding['level'], path: string, message: string, evidence?: string) => void

/** Runs one planned test participant through the flow up to a registration, and compares every result with the plan. */
export async function rehearseParticipant(
  ctx: RegistrationContext,
  rehearsing: RehearsalContext,
  person: PlannedTestParticipant,
): Promise<TestParticipantOutcome> {
  const { snapshot, flow, connections, goals } = rehearsing
  const findings: RehearsalFinding[] = []
  const addFinding: AddFinding = (code, level, path, message, evidence = '') =>
    void findings.push({ code, level, path, personIndex: person.index, message, evidence })
  const visit = simulateFlowPages(snapshot, connections, { flow, tags: person.tags, answers: person.answers })
  const { outcome, total, email } = await completeVisit(ctx, rehearsing, person, visit, addFinding)
  const isReached = createTestRunGoalCheck(flow)(visit.walk, person.locale)
  return {
    outcome,
    total,
    result: {
      goal: person.goals.map(({ path, outcome: wanted }) => `${path} ${wanted}`).join('; ') || 'anybody',
      tags: [...person.tags],
      answers: person.answers,
      pages: visit.pages.map(({ code }) => code),
      widgets: visit.pages.flatMap(({ widgets }) => widgets),
      findings,
      reached: outcome === 'failed' ? [] : goals.flatMap((goal, index) => (isReached(goal) ? [index] : [])),
      email,
    },
  }
}

interface VisitEnd {
  outcome: TestParticipantOutcome['outcome']
  total: number
  email: TestParticipantResult['email']
}

async function completeVisit(
  ctx: RegistrationContext,
  rehearsing: RehearsalContext,
  person: PlannedTestParticipant,
  visit: SimulatedFlowResult,
  addFinding: AddFinding,
): Promise<VisitEnd> {
  const { flow, snapshot, connections } = rehearsing
  const shown = visit.pages.map(({ code }) => code)
  if (shown.join(' ') !== person.pages.join(' ')) {
    addFinding(
      'R01',
      'error',
      toPagePointer(flow, shown.at(-1) ?? ''),
      'the pages shown differ from the plan',
      `${shown.join(', ')} instead of ${person.pages.join(', ')}`,
    )
  }
  const { problem } = visit
  if (problem) {
    const path = toPagePointer(flow, problem.page)
    if (person.unfilled.includes(problem.binding))
      addFinding('R03', 'error', path, `no test participant can answer this: ${problem.message}`, problem.binding)
    else if (person.outcome === 'completed')
      addFinding('R02', 'error', path, `a valid answer was rejected: ${problem.message}`, problem.binding)
    const isForeseen = person.outcome === 'blocked'
    return { outcome: isForeseen ? 'blocked' : 'failed', total: 0, email: null }
  }
  if (person.outcome === 'blocked')
    addFinding(
      'R02',
      'error',
      toPagePointer(flow, shown.at(-1) ?? ''),
      'the person completed the flow, but the plan expected them to be blocked',
    )
  try {
    const submitted = await submitRegistration(ctx, {
      snapshot,
      flow,
      answers: visit.answers,
      manualTags: person.tags,
      directoryTags: listSimulatedDirectoryTags({ ...person, flow }, visit, connections),
      source: 'rehearsal',
      participant: null,
    })
    const { total, email } = await checkRegistration(ctx, rehearsing, person, visit, submitted, addFinding)
    await markParticipantsOfTestRun(ctx, rehearsing.runId, [submitted.participant.id])
    return { outcome: 'completed', total, email }
  } catch (error) {
    // A rejected registration needs no rollback, because `submitRegistration` validates before it writes.
    if (!(error instanceof AppError)) throw error
    addFinding(
      'R02',
      'error',
      toPagePointer(flow, shown.at(-1) ?? ''),
      `registration failed: ${error.message}`,
      error.details.fields?.[0]?.path ?? '',
    )
    return { outcome: 'failed', total: 0, email: null }
  }
}

async function checkRegistration(
  ctx: RegistrationContext,
  rehearsing: RehearsalContext,
  person: PlannedTestParticipant,
  visit: SimulatedFlowResult,
  submitted: SubmissionResult,
  addFinding: AddFinding,
): Promise<Omit<VisitEnd, 'outcome'>> {
  const { snapshot, flow } = rehearsing
  const { orderId, invoice } = submitted
  const path = `/flows/${flow.slug}`
  const total = invoice?.total ?? 0
  const reference = computeReferenceTotal(snapshot, toBasket(rehearsing, visit))
  const shown = (minor: number) => toMoney(minor, snapshot.currency).amount
  if (reference !== total) {
    addFinding(
      'R04',
      'error',
      path,
      'the order total differs from its prices and taxes',
      `${shown(total)} instead of ${reference === null ? 'nothing on sale' : shown(reference)}`,
    )
  }
  if (orderId !== null && invoice) await payInvoiceByTestCard(ctx, orderId, invoice, snapshot.at)
  const row = await getParticipant(ctx, submitted.participant.id)
  if (row.status !== 'complete' || row.confirmation_number === null || row.badge_id === null) {
    addFinding('R05', 'error', path, 'the registration is not complete with a number and a badge', row.status)
  }
  if (row.tags.toSorted().join(' ') !== visit.walk.tags.join(' ')) {
    addFinding('R06', 'error', path, 'the tags differ from the plan', `${row.tags.join(', ')} instead of ${visit.walk.tags.join(', ')}`)
  }
  if (row.email === null) return { total, email: null }
  const mail = { trigger: 'registration.completed' as const, emailCode: flow.confirmationEmail, participant: row, isTestData: true }
  const rendered = await renderEventEmail(ctx, { ...mail, to: { email: row.email, locale: person.locale } })
  await sendRegistrationStatusEmail(ctx, row.id)
  if (rendered === null) return { total, email: null }
  const code = rendered.emailCode ?? 'built-in'
  if (rendered.missing.length > 0) {
    addFinding(
      'R07',
      'warning',
      rendered.emailCode === null ? path : `/emails/${code}`,
      'the email uses fields that this person did not answer',
      rendered.missing.join(', '),
    )
  }
  return { total, email: { code, missingTokens: rendered.missing } }
}

/** Lists the products that the test person chose in the flow, and the products that the person's guests need. */
function toBasket({ snapshot, flow }: RehearsalContext, { walk, answers }: SimulatedFlowResult) {
  const chosen = new Map(
    walk.pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products)).map((product) => [product.code, product]),
  )
  const donations = new Set(snapshot.config.products.filter(({ category }) => category === 'donation').map(({ code }) => code))
  const own = [...chosen.values()]
    .filter(({ quantity }) => quantity > 0)
    .map(({ code, quantity }) => ({ code, quantity, donated: donations.has(code) ? String(quantity) : null }))
  const types = new Map((flow.guests?.types ?? []).map(({ code, productCode }) => [code, productCode]))
  const guests = Object.entries(answers)
    .filter(([binding]) => /^@guest\.\d+\.type$/.test(binding))
    .flatMap(([, type]) => types.get(String(type)) ?? [])
    .map((code) => ({ code, quantity: 1, donated: null }))
  const of = (name: string) => (typeof answers[`@participant.${name}`] === 'string' ? (answers[`@participant.${name}`] as string) : null)
  return { items: [...own, ...guests], tags: walk.priceTags, buyer: { country: of('country'), region: of('region') } }
}
