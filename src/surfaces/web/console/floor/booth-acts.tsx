import { endOfDay, formatInstant, isDay } from '../../../../kernel/time.ts'
import type { AppError } from '../../../../kernel/errors.ts'
import type { Money } from '../../../../kernel/money.ts'
import manageBoothApplication from '../../../../toolsets/exhibitors/manage-booth-application.ts'
import manageBooths from '../../../../toolsets/exhibitors/manage-booths.ts'
import { previewThenConfirm } from '../../components/preview-then-confirm.tsx'
import type { FormErrors } from '../../fields.ts'
import { csrfFor, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { placeAt, sendConsolePage } from '../frame.tsx'
import { formatWithCode, isZero } from '../money/amounts.ts'
import { CONFIRM, runFormCall, type ToolArguments } from '../tool-call.ts'
import type { BoothPanelFacts } from './booth-panel.tsx'
import type { PlanPageContext } from './plan-page.ts'

export const BOOTH_ACTS = ['assign', 'hold', 'release', 'vacate', 'block', 'unblock', 'accept', 'withdraw_offer'] as const
export type BoothAct = (typeof BOOTH_ACTS)[number]

const FIELDS = ['act', 'company', 'holdFor', 'until', 'reason']

/** What the confirmation of an act asks, and the verb on its button. */
const QUESTIONS: Record<BoothAct, { ask: (number: string, company: string) => string; effect: string; button: string }> = {
  assign: {
    ask: (n, company) => `Assign booth ${n} to ${company}?`,
    effect: 'The company has the booth from now on.',
    button: 'Assign booth',
  },
  hold: {
    ask: (n, company) => `Hold booth ${n} for ${company}?`,
    effect: 'Nobody else can get the booth until then.',
    button: 'Hold booth',
  },
  release: { ask: (n) => `Release the hold on booth ${n}?`, effect: 'The booth is available again.', button: 'Release hold' },
  vacate: {
    ask: (n, company) => `Take booth ${n} back from ${company}?`,
    effect: 'The booth is available again, and the company is credited.',
    button: 'Take booth back',
  },
  block: { ask: (n) => `Block booth ${n}?`, effect: 'The booth is not for sale until you unblock it.', button: 'Block booth' },
  unblock: { ask: (n) => `Unblock booth ${n}?`, effect: 'The booth is for sale again.', button: 'Unblock booth' },
  accept: {
    ask: (n, company) => `Accept the offer of booth ${n} for ${company}?`,
    effect: 'The company has the booth from now on, as if it had accepted the offer itself.',
    button: 'Accept offer',
  },
  withdraw_offer: {
    ask: (n, company) => `Withdraw the offer of booth ${n} to ${company}?`,
    effect: 'The booth is available again, and the application waits for another offer.',
    button: 'Withdraw offer',
  },
}

interface BoothResult {
  orderChange?: { lines: { description: string; quantity: number }[]; net: Money; tax: Money; total: Money }
  warnings?: { message?: string }[] | string[]
}

/** Reads the form of an act into the arguments of its tool. */
function readArguments(at: PlanPageContext, act: BoothAct, facts: BoothPanelFacts, form: FormValues): { args: ToolArguments } | FormErrors {
  const { number } = facts.booth
  const missing = (path: string, message: string): FormErrors => ({ errors: [{ path, message }] })
  const [company, reason, until] = [form[act === 'hold' ? 'holdFor' : 'company'] ?? '', (form['reason'] ?? '').trim(), form['until'] ?? '']
  if (act === 'accept' || act === 'withdraw_offer') {
    if (!facts.offer) return { message: `Booth ${number} has no open offer.` }
    return { args: { action: act, number: facts.offer.application } }
  }
  if ((act === 'assign' || act === 'hold') && company === '') return missing(act === 'hold' ? 'holdFor' : 'company', 'Choose a company.')
  if (act === 'hold') {
    if (!isDay(until)) return missing('until', 'Enter the last day of the hold.')
    return { args: { action: act, number, companyId: company, until: formatInstant(endOfDay(at.event.timezone, until)) } }
  }
  if (act === 'assign') return { args: { action: act, number, companyId: company } }
  if (act === 'release') return { args: { action: act, number } }
  return reason === '' ? missing('reason', 'Enter a reason.') : { args: { action: act, number, reason } }
}

const toFormErrors = (error: AppError): FormErrors =>
  error.details.fields ? { message: 'Nothing was changed.', errors: error.details.fields } : { message: error.message }

/** The effects of an act on the company's order, in words. */
function describeEffects(act: BoothAct, { orderChange, warnings = [] }: BoothResult): string {
  const money = orderChange && !isZero(orderChange.total)
  const texts = warnings.map((warning) => (typeof warning === 'string' ? warning : (warning.message ?? '')))
  return [
    QUESTIONS[act].effect,
    money
      ? `The company's order changes by ${formatWithCode(orderChange.total)} (${formatWithCode(orderChange.net)} and ${formatWithCode(orderChange.tax)} tax).`
      : '',
    ...texts.map((text) => (text === '' || text.endsWith('.') ? text : `${text}.`)),
  ]
    .filter((text) => text !== '')
    .join(' ')
}

/** The company that an act is about. */
const companyOf = (facts: BoothPanelFacts, args: ToolArguments): string =>
  facts.companies.find(({ value }) => value === args['companyId'])?.label ?? facts.booth.company?.name ?? 'the company'

/**
 * Handles the form of an act on a booth: shows what it would do, then does it. Returns the errors of the form, which the plan's page shows.
 */
export async function submitBoothAct(
  web: WebServices,
  c: WebContext,
  at: PlanPageContext,
  { facts, form }: { facts: BoothPanelFacts; form: FormValues },
): Promise<Response | FormErrors> {
  const act = BOOTH_ACTS.find((one) => one === form['act'])
  if (!act) return { message: 'Choose what to do with the booth.' }
  const read = readArguments(at, act, facts, form)
  const tool = act === 'accept' || act === 'withdraw_offer' ? manageBoothApplication : manageBooths
  const call = await runFormCall<BoothResult>(web, at, { tool, args: 'args' in read ? read.args : null, form, fields: FIELDS })
  const back = `${at.here}?booth=${encodeURIComponent(facts.booth.number)}`
  if ('done' in call) return c.redirect(`${back}&done=saved`, 303)
  if ('refused' in call) return toFormErrors(call.refused)
  if ('unread' in call || !('args' in read)) return 'args' in read ? {} : read
  const { ask, button } = QUESTIONS[act]
  const { result, hidden, isStale } = call.checked
  const sent = Object.fromEntries(FIELDS.flatMap((name) => (form[name] === undefined ? [] : [[name, form[name]]])))
  const page = previewThenConfirm({
    title: ask(facts.booth.number, companyOf(facts, read.args)),
    crumbs: [{ href: back, label: `Booth ${facts.booth.number}` }],
    action: c.req.path,
    csrf: csrfFor(web, c),
    hidden: { ...sent, ...hidden },
    effects: `${isStale ? 'The booth changed in the meantime, so nothing was saved. ' : ''}${describeEffects(act, result)}`,
    submit: button,
    submitAs: CONFIRM,
    tone: act === 'vacate' || act === 'withdraw_offer' ? 'danger primary' : 'primary',
    back: { href: back, label: 'Cancel' },
  })
  return sendConsolePage(web, c, placeAt(at, 'floor-plans'), page)
}
